/** Marks of sounds that recognizers write as text: `[BLANK_AUDIO]`, `(music)`, `♪`, `<|nospeech|>`. */
const MARKS = /\[[^\]]*\]|\([^)]*\)|♪+|<\|[^|]*\|>/g

/** The text itself if it has none. */
export function withoutMarks(text: string): string {
  const rest = text.replaceAll(MARKS, ' ')
  return rest === text ? text : rest.replaceAll(/\s+/g, ' ').trim()
}
