/** Error codes whose public word differs from the one here. Only `/compat` and the webhooks of its bots use the public words. */

const PUBLIC_CODES: Readonly<Record<string, string>> = {
  SET_CONF_ID_AND_PWD_TOGETHER: 'SET_ZOOM_ID_AND_PWD_TOGETHER',
  CONF_ACCESS_TOKEN_ERROR: 'ZOOM_ACCESS_TOKEN_ERROR',
  CONF_OBF_TOKEN_ERROR: 'ZOOM_OBF_TOKEN_ERROR',
  CONF_SDK_AUTH_FAILED: 'ZOOM_SDK_AUTH_FAILED',
}

/** The code itself where both vocabularies agree. */
export function publicCode(code: string): string {
  return Object.hasOwn(PUBLIC_CODES, code) ? PUBLIC_CODES[code]! : code
}
