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
/** Tags may stand between the label and the passcode. A dial-in number behind the passcode is not part of it. */
const WRITTEN = new RegExp(
  `(?:(?<!\\p{L})(?:${LATIN})|${OTHER})[ \\t]{0,4}(?:<[^<>]{0,80}>){0,2}[:=][ \\t]{0,4}(?:<[^<>]{0,80}>\\s{0,4}){0,2}\\s{0,4}([^\\s()<>「」、。"]{1,512})`,
  'iu',
)

export function passcodeIn(plain: string): string | null {
  const written = WRITTEN.exec(plain.normalize('NFC'))?.[1]
  if (written === undefined || /^https?:/i.test(written)) return null
  let end = written.length
  while (end > 0 && '.,;'.includes(written[end - 1]!)) end--
  return written.slice(0, end) || null
}
