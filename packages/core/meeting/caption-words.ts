/** The words of captions, and how a new text of a caption row continues the old one. Pure; pages use it too. */

/** Scripts that put no blanks between words: each character counts as one word. */
const ALONE = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}'
const TOKENS = new RegExp(`\\s*(?:[${ALONE}]|[^\\s${ALONE}]+)`, 'gu')
const HAS_ALONE = new RegExp(`[${ALONE}]`, 'u')
const SENTENCE_END = /[.!?。！？…]\s*$/

/** Words as written, each with the blanks before it. */
export function tokensOf(text: string): string[] {
  return text.match(TOKENS) ?? []
}

/** The form in which words are compared. */
export function bareWord(token: string): string {
  return token.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]/gu, '') || token.trim()
}

export function hasWordWithoutBlanks(text: string): boolean {
  return HAS_ALONE.test(text)
}

export function endsSentence(text: string): boolean {
  return SENTENCE_END.test(text)
}

/** Points for each step of an alignment. */
export interface Scores {
  repeated: number
  corrected: number
  /** A word that only one of the texts has. */
  missing: number
  /** The text begins with a word that is not the one at its cut. */
  otherBeginning: number
}

export interface Alignment {
  score: number
  /** How many old words are missing at the beginning of the text. */
  cut: number
  /** For each word of the text the old word that it repeats or corrects; null for a new word. */
  places: (number | null)[]
  /** How many words it repeats. */
  matches: number
}

/**
 * Aligns a new text with the words before: it may lack words at the beginning and continue at the end. With nothing in
 * common, all old words are missing and all others are new.
 *
 * @param isCut - more words came before the old ones.
 */
export function align(
  old: readonly string[],
  words: readonly string[],
  { repeated, corrected, missing, otherBeginning }: Scores,
  isCut = false,
): Alignment {
  const scores = [[0, ...words.map((_, index) => (isCut ? 0 : otherBeginning + missing * index))]]
  const step = (word: string, place: number) =>
    word === words[place] ? repeated : place === 0 ? otherBeginning : corrected
  for (const [index, word] of old.entries()) {
    const above = scores[index]!
    const row = [0]
    for (const place of words.keys())
      row.push(
        Math.max(
          above[place]! + step(word, place),
          above[place + 1]! + missing,
          row[place]! + (place === 0 ? otherBeginning : missing),
        ),
      )
    scores.push(row)
  }
  const places = words.map((): number | null => null)
  const score = Math.max(...scores[old.length]!)
  let matches = 0
  let cut = old.length
  let end = scores[cut]!.lastIndexOf(score)
  while (cut > 0 && end > 0) {
    const reached = scores[cut]![end]!
    if (reached === scores[cut - 1]![end - 1]! + step(old[cut - 1]!, end - 1)) {
      places[--end] = --cut
      if (old[cut] === words[end]) matches++
    } else if (reached === scores[cut - 1]![end]! + missing) cut--
    else end--
  }
  return { score, cut, places, matches }
}
