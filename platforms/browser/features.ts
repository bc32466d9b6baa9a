/** Chromium's features, on and off. */

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

/**
 * Memory of each bot (bench/notes/2026-11-28-memory.md): a second renderer that waits for another site (12 MB),
 * and a process for the sound service (16 MB).
 */
const PROCESSES = ['SpareRendererForSitePerProcess', 'AudioServiceOutOfProcess']

/** As with the features that are off, the last switch counts, so it repeats those that Playwright turns on. */
const ON_BY_PLAYWRIGHT = ['CDPScreenshotNewSurface', 'SkipListAccountsWithoutGaiaCookies']

/** The network service lives in the browser's process: 17 MB less. A browser has one site, so it has nothing to share. */
const ONE_PROCESS = ['NetworkServiceInProcess2']

export const FEATURES = [
  `--disable-features=${[...BY_PLAYWRIGHT, ...SUGGESTIONS, ...PROCESSES].join(',')}`,
  `--enable-features=${[...ON_BY_PLAYWRIGHT, ...ONE_PROCESS].join(',')}`,
]
