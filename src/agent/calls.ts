/** Whether a text calls the bot, and for what. Pure. */

export interface Call {
  /** `mute` and `unmute` only behind a name. */
  kind: 'question' | 'mute' | 'unmute'
  /** Nothing was said but the name: the question is still to come. */
  isAlone: boolean
}

const UNMUTE = ['unmute']
/** Words before a name that ask for nothing, as in `hey, Standin`. */
const GREETING_WORDS = 1

/** `names`: of the bot, and wake phrases. */
export function callFinder(names: readonly string[], muteWords: readonly string[]): (text: string) => Call | null {
  const [called, muting, unmuting] = [names, muteWords, UNMUTE].map((phrases) =>
    phrases.map((phrase) => wordsOf(phrase).join('')).filter((letters) => letters !== ''),
  ) as [string[], string[], string[]]
  return (text) => {
    const words = wordsOf(text)
    let call: Call | null = null
    for (let start = 0; start < words.length; start++) {
      const end = endOfAny(called, words, start)
      if (end === null) continue
      if (endOfAny(muting, words, end) !== null) return { kind: 'mute', isAlone: false }
      if (endOfAny(unmuting, words, end) !== null) return { kind: 'unmute', isAlone: false }
      call ??= { kind: 'question', isAlone: end === words.length && start <= GREETING_WORDS }
    }
    return call
  }
}

function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const segments = new Intl.Segmenter(undefined, { granularity: 'word' }).segment(plain)
  return [...segments].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment)
}

/**
 * Where a phrase ends that begins at `start`; null if none does. Recognizers write a name that they do not know as several
 * words, so only its letters count: `stand in` is `Standin`.
 */
function endOfAny(phrases: readonly string[], words: readonly string[], start: number): number | null {
  for (const phrase of phrases) {
    let letters = ''
    let end = start
    while (letters.length < phrase.length && end < words.length) letters += words[end++]
    if (letters === phrase) return end
  }
  return null
}
