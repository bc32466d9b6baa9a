/** Finds the passcode that an invitation writes beside its link, in the languages that invitations have. Pure. */

const LATIN = [
  'pass ?code',
  'pass ?word',
  'kenncode',
  'kennwort',
  'passwort',
  'c[oó]digo de acceso',
  'contraseña',
  'clave de acceso',
  'code secret',
  "code d['’]acc[eè]s",
  'mot de passe',
  'c[oó]digo de acesso',
  'senha(?: de acesso)?',
  'palavra-passe',
  "codice d['’]accesso",
  'wachtwoord',
  'toegangscode',
  'kod dostępu',
  'hasło',
  'jelszó',
  'heslo',
  'přístupový kód',
  'prístupový kód',
  'parola',
  'geçiş kodu',
  'şifre',
  'parolă',
  'cod(?:ul)? de acces',
  'lösenord',
  'lösenkod',
  'adgangskode',
  'passord',
  'passkode',
  'salasana',
  'tunnuskoodi',
  'kode sandi',
  'mật mã',
  'mật khẩu',
  'κωδικός πρόσβασης',
  'код доступу',
  'hozzáférési kód',
  'код доступа',
  'пароль',
].join('|')
const OTHER =
  'パスコード|パスワード|密码|密碼|암호|비밀번호|패스코드|رمز المرور|كلمة المرور|קוד גישה|סיסמה|รหัสผ่าน|पासकोड|पासवर्ड'
/** Chats write emphasis with these marks, and some passcodes have them. */
const MARKS = '[*_~]{0,3}'
const TAG = '<[^<>]{0,80}>'
/**
 * Tags and emphasis may stand between the label and the passcode; in a table, tags alone do, and then a digit shows that no
 * sentence follows. A dial-in number behind the passcode is not part of it.
 */
const WRITTEN = new RegExp(
  `(?<open>${MARKS})(?:(?<!\\p{L})(?:${LATIN})|${OTHER})(?<close>${MARKS})[ \\t]{0,4}` +
    `(?:(?:${TAG}){0,2}[:=](?<closeAfter>${MARKS}(?=\\s))?[ \\t]{0,4}(?:${TAG}\\s{0,4}){0,2}|(?:\\s{0,4}${TAG}){1,4}\\s{0,4}(?=[^\\s<]{0,20}\\d))` +
    `\\s{0,4}(?<passcode>[^\\s()<>「」、。"]{1,512})`,
  'iu',
)

export function passcodeIn(plain: string): string | null {
  const found = WRITTEN.exec(plain.normalize('NFC'))?.groups
  if (found === undefined || /^https?:/i.test(found.passcode!)) return null
  const { open = '', close = '', closeAfter = '' } = found
  let passcode = trimmed(found.passcode!, '.,;')
  const own = /^[*_~]{1,3}(?=.*[*_~]$)/.exec(passcode)?.[0]
  if (own !== undefined) passcode = trimmed(passcode.slice(own.length), '*_~')
  else if (open !== '' && close === '' && closeAfter === '') passcode = trimmed(passcode, open)
  return trimmed(passcode, '.,;') || null
}

/** A regular expression with `+$` would be quadratic in a long run of such characters. */
function trimmed(text: string, ends: string): string {
  let end = text.length
  while (end > 0 && ends.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}
