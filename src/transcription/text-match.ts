/** Finds a service's tokens in the text that the same service gives. Pure. */
import { isUnspacedBorder } from './spread.ts'
import type { PlacedToken, Token } from './tokens.ts'

/** After a difference, the text and the tokens meet again within so many characters and tokens. */
const MAX_SKIPPED_CHARACTERS = 120
const MAX_SKIPPED_TOKENS = 6
const MIN_MATCHED_SHARE = 0.5
const HAS_LETTERS = /[\p{L}\p{N}]/u

/**
 * The tokens with the spelling, the punctuation and the blanks of the text, and with its words that have no token.
 * A token that the text does not have stays. A token without letters stands for a word of the text. `strangers` is the
 * number of tokens that were not found. Null if the text is another one.
 */
export function matched(tokens: readonly Token[], text: string): { placed: PlacedToken[]; strangers: number } | null {
  const whole = text.normalize('NFC')
  const spellings = tokens.map(({ word }) => word.normalize('NFC').trim())
  const result: PlacedToken[] = []
  let at = 0
  let found = 0
  let strange: PlacedToken[] = []
  const strayed: PlacedToken[] = []
  let holes = 0
  for (let index = 0; index < tokens.length; index++) {
    if (spellings[index] === '') {
      holes++
      continue
    }
    const next = meeting({ text: whole, at, holes }, spellings, index)
    if (next === null || next.index > index) {
      strange.push({ ...tokens[index]!, word: spellings[index]!, isAttached: false })
      continue
    }
    const end = endOf(whole, next.from, spellings[index]!)!
    const gap = whole.slice(at, next.from)
    // Words of the text between two matches replace the tokens there; if there are none, the tokens stay.
    const staying = HAS_LETTERS.test(gap) ? [] : strange
    result.push(...staying)
    strayed.push(...staying)
    const { lead, isAttached } = append(result, gap, staying.length > 0 ? [] : strange)
    strange = []
    const word = lead + whole.slice(next.from, end)
    const before = staying.at(-1)?.word
    result.push({
      ...tokens[index]!,
      word,
      isAttached: isAttached && (before === undefined || isUnspacedBorder(before, word)),
    })
    at = end
    holes = 0
    found++
  }
  const strangers = spellings.filter(Boolean).length - found
  if (found < (found + strangers) * MIN_MATCHED_SHARE) return null
  const rest = whole.slice(at)
  if (HAS_LETTERS.test(rest)) strange = []
  result.push(...strange)
  strayed.push(...strange)
  const { lead, isAttached } = append(result, rest, [])
  if (lead !== '') result.push({ word: lead, start: null, end: null, confidence: null, isAttached })
  return { placed: withoutStrayed(result, strayed), strangers }
}

/** Without the tokens that the text has at another place, where no token was found. */
function withoutStrayed(words: readonly PlacedToken[], strayed: readonly PlacedToken[]): PlacedToken[] {
  const lettersOf = ({ word }: Token) => word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  const alone = words.filter(({ start, confidence }) => start === null && confidence === null).map(lettersOf)
  const strays = new Set(strayed)
  const isDouble = (word: PlacedToken) => {
    const place = strays.has(word) ? alone.indexOf(lettersOf(word)) : -1
    if (place >= 0) alone.splice(place, 1)
    return place >= 0
  }
  return words.filter((word) => !isDouble(word))
}

/**
 * Adds the text between two tokens: what touches the previous token belongs to it; words become tokens without times.
 * The last piece, which touches the next token, is handed back.
 */
function append(result: PlacedToken[], gap: string, replaced: readonly Token[]) {
  const pieces = gap.split(/\s+/)
  const last = result.at(-1)
  const first = pieces.shift()!
  if (last === undefined) {
    if (pieces.length === 0) return { lead: first, isAttached: false }
    if (first !== '') pieces.unshift(first)
  } else if (pieces.length === 0) {
    last.word += first
    return { lead: '', isAttached: true }
  } else last.word += first
  const lead = pieces.pop()!
  const [start, end] = [replaced[0]?.start ?? null, replaced.at(-1)?.end ?? null]
  for (const [index, word] of pieces.entries())
    result.push({
      ...{ word, confidence: null, isAttached: false },
      start: index === 0 ? start : null,
      end: index === pieces.length - 1 ? end : null,
    })
  return { lead, isAttached: false }
}

/** The nearest place from which the tokens and the text are the same again; null if there is none in reach. */
function meeting(place: { text: string; at: number; holes: number }, tokens: readonly string[], first: number) {
  const { text, at, holes } = place
  for (let index = first; index <= Math.min(first + MAX_SKIPPED_TOKENS, tokens.length - 1); index++) {
    const limit = Math.min(text.length, at + MAX_SKIPPED_CHARACTERS)
    for (let from = at, isNear = true; from < limit; from++) {
      const end = endOf(text, from, tokens[index]!)
      // Only punctuation was passed over, or what empty tokens stand for: one token is enough. Else two have to fit.
      const isEnough = index === first && (isNear || isWordAfter(holes, text.slice(at, from), text[end ?? from]))
      if (end !== null && (isEnough || follows(text, end, tokens, index + 1))) return { index, from }
      if (HAS_LETTERS.test(text[from]!)) isNear = false
    }
  }
  return null
}

/** Whether a word begins after this gap of at most so many words, and ends before this character. */
function isWordAfter(words: number, gap: string, next = ' '): boolean {
  return words > 0 && /\s$/.test(gap) && !HAS_LETTERS.test(next) && gap.trim().split(/\s+/).length <= words
}

function follows(text: string, end: number, tokens: readonly string[], index: number): boolean {
  const rest = text.slice(end, end + MAX_SKIPPED_CHARACTERS)
  const token = tokens[index]
  if (token === '') return false
  const skipped = /^[^\p{L}\p{N}]*/u.exec(rest)![0].length
  if (token === undefined) return skipped === rest.length
  for (let from = 0; from <= skipped; from++) if (endOf(rest, from, token) !== null) return true
  return false
}

/** Where the token ends if it begins here, in any case of its letters; blanks in it count as one. Null if it does not. */
function endOf(text: string, from: number, token: string): number | null {
  let at = from
  for (const part of token.split(/\s+/)) {
    if (at > from) while (/\s/.test(text[at] ?? '')) at++
    if (text.slice(at, at + part.length).toLowerCase() !== part.toLowerCase()) return null
    at += part.length
  }
  return at
}
