/** Addresses of the dashboard. */

export const DASHBOARD_PATH = '/dashboard'

/** The token is in the fragment, which browsers never send: no log and no proxy sees it. */
export function signInAddress(publicUrl: string, token: string): string {
  return `${publicUrl}${DASHBOARD_PATH}/sign-in#${token}`
}

/** To be registered at the OpenID provider, behind the public address. */
export const OIDC_CALLBACK_PATH = `${DASHBOARD_PATH}/api/oidc/callback`
