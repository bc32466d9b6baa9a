/** White space, format characters, fillers of scripts and the braille blank: no person sees a name of these. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u

export function isBlank(text: string): boolean {
  return !VISIBLE.test(text)
}
