/** Addresses of the dashboard. */

export const DASHBOARD_PATH = '/dashboard'

/** The token follows `#`, which browsers send nowhere: no log and no proxy sees it. */
export function signInAddress(publicUrl: string, token: string): string {
  return `${publicUrl}${DASHBOARD_PATH}/sign-in#${token}`
}

/** Where a person chooses one of several teams, below the dashboard; empty without a choice. The service names the teams. */
export function choicesPath(choices: readonly { token: string }[]): string {
  if (choices.length === 0) return ''
  return `sign-in#${choices.map(({ token }) => token).join('&')}`
}

/** To be registered at the OpenID provider, behind the public address. */
export const OIDC_CALLBACK_PATH = `${DASHBOARD_PATH}/api/oidc/callback`

/** To be registered with the app of each provider, behind the public address. */
export const consentCallbackPath = (provider: string) => `${DASHBOARD_PATH}/api/connect/${provider}/callback`
