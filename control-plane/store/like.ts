/** A pattern of `like` for values that contain the text, in which the text has no special characters. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
