/**
 * Helpers that the recognizers of links share. Pure, and linear in the length of the text, because a job can hold any
 * text.
 */

/** A link without a scheme starts here: not inside a longer host name, an email address, a path or a query. */
export const START_OF_HOST = '(?<![\\w.\\-@/=%])'

/** Removes the given characters from the end. A regular expression with `+$` would be quadratic in a long run of them. */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}
