/**
 * Features that Playwright turns off in Chromium. Of two switches with features only the last one counts, so a switch
 * that adds a feature has to repeat all of these; a test compares them with those of the Playwright that is installed.
 */
const BY_PLAYWRIGHT = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'msForceBrowserSignIn',
  'msEdgeUpdateLaunchServicesPreferredVersion',
]

/** Suggestions under the address bar: a process of 50 MB for a bar that the bot never types into. */
const SUGGESTIONS = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup']

export const FEATURES_OFF = `--disable-features=${[...BY_PLAYWRIGHT, ...SUGGESTIONS].join(',')}`
