/** Patterns of secrets in a text. */

/** Names of fields, query parameters and headers that hold a secret. */
export const SECRET_WORD =
  'token|secret|passw(?:or)?d|pwd|passcode|passphrase|api[-_]?key|access[-_]?key|private[-_]?key|authorization|cookie|credential|signature|jwt|bearer'
/** Names of tickets and sessions; alone they are ordinary words, so they count only where a value follows. */
const SESSION_WORD = 'ticket|otp|nonce|xsrf|csrf|session[-_]?id|sid'
/** Cookies with which Google, Microsoft and Zoom know a person, and what Google's pages call the same in their scripts. */
const COOKIE_NAME =
  '(?:__(?:secure|host)-)?(?:[13]p)?(?:s?api|[hslo])?sid(?:cc|ts)?|nid|(?:__host-)?gaps|snlm0e|fdrfje|thykhd|ests[a-z]{1,40}|buid|msp[a-z]{2,20}|rps[a-z]{0,20}auth|wlssc|ppauth|_zm_[a-z]{1,20}'
/** Query parts that carry access: presigned S3 addresses, join passwords, tokens; also inside an escaped address. */
const SECRET_IN_URL = new RegExp(
  `((?:[?&;#]|%3F|%26|%23)(?:[a-z0-9_.-]{0,64}(?:${SECRET_WORD}|${SESSION_WORD}|accesskeyid|secret|key|code|zak)|sig|tk|auth|p)(?:=|%3D))` +
    `(?:(?!%26|%23)[^&#\\s"'<>])+`,
  'gi',
)
/** `name=value` of settings and command lines. */
const SECRET_SETTING = new RegExp(
  `(?<![?&;#a-z0-9_.-])((?:[a-z0-9_.-]{0,64}(?:${SECRET_WORD}|${SESSION_WORD})|${COOKIE_NAME})=)(?:"[^"]*"|'[^']*'|[^\\s"',;&)\\]}]+)`,
  'gi',
)
/** `"name": "value"` of JSON, also within a JSON text, and `name: 'value'` of printed objects. */
const SECRET_QUOTED = new RegExp(
  `(?<![a-z0-9_.-])((?:[a-z0-9_.-]{0,64}(?:${SECRET_WORD}|${SESSION_WORD})|${COOKIE_NAME}|zak|sig|tk)(?:\\\\{0,4}["'])?\\s{0,4}:\\s{0,4}\\\\{0,4})(?:"(?:[^"\\\\]|\\\\[^"])*\\\\?"|'[^']*')`,
  'gi',
)
/** A header's line, or a plain `password: …`. Other words before a colon are usually the place of a mistake. */
const SECRET_HEADER =
  /(?<![a-z0-9_.-])((?:proxy-|set-)?(?:authorization|cookie)\d?\s?:\s?|x-[a-z-]{0,40}(?:key|token|secret)\s?:\s?|passw(?:or)?d\s?:\s?|passcode\s?:\s?|pwd\s?:\s?|zak\s?:\s?)[^\r\n"'<>]+/gi
/** A JSON Web Token without a name before it. */
const BARE_JWT = /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g
/** Fields that a page fills in itself and passwords that were typed; what a page says about itself under a secret's name. */
const HIDDEN_INPUT =
  /(<input\b(?=[^>]{0,2000}?\btype\s{0,4}=\s{0,4}["']?(?:hidden|password)\b)[^>]{0,2000}?\bvalue\s{0,4}=\s{0,4})(?:"[^"]*"|'[^']*'|[^\s"'>]+)/gi
const SECRET_META = new RegExp(
  `(<meta\\b(?=[^>]{0,500}?\\bname=["']?[a-z0-9_.:-]{0,64}(?:${SECRET_WORD}|csrf|nonce))[^>]{0,500}?\\bcontent=)(?:"[^"]*"|'[^']*'|[^\\s"'>]+)`,
  'gi',
)
const BEARER = /\b(Bearer\s+)[A-Za-z0-9._~+/=-]+/gi
const USER_INFO = /\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^/\s?#"'<>]*@/gi
/** Replaces what a pattern takes for a secret. */
export function hideSecrets(text: string): string {
  return text
    .replace(HIDDEN_INPUT, '$1"[redacted]"')
    .replace(SECRET_META, '$1"[redacted]"')
    .replace(BARE_JWT, '[redacted]')
    .replace(USER_INFO, '$1[redacted]@')
    .replace(SECRET_IN_URL, '$1[redacted]')
    .replace(SECRET_QUOTED, '$1[redacted]')
    .replace(SECRET_SETTING, '$1[redacted]')
    .replace(SECRET_HEADER, '$1[redacted]')
    .replace(BEARER, '$1[redacted]')
}
