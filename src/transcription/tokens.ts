/** Words from the pieces in which speech services give a text: whole words or parts of words, with times or without. */
import { isFullWidthBorder, isUnspaced, isUnspacedBorder, WORD_SECONDS } from './spread.ts'
import { matched } from './text-match.ts'
import type { Recognized, Word } from './types.ts'

export interface Token {
  /** Empty if the service gives something that is no word. */
  word: string
  /** Seconds; null if the service gives no usable time. */
  start: number | null
  end: number | null
  confidence: number | null
}

/** A token, and whether its text follows the previous token without a blank. */
export interface PlacedToken extends Token {
  isAttached: boolean
}

/** Signs that belong to the word before them if no text says otherwise. */
const CLOSING = /^(?:[.,!?;:%…。！？、，)\]}»”]+|['’](?:s|t|re|ve|ll|d|m))$/iu
/** So many tokens of a text in parts begin a word; fewer blanks are an accident. */
const MIN_BLANK_SHARE = 0.2
/** A time that is so far behind all others is no time. */
const ODD_SECONDS = 30
/** No word is shorter, so that it can be shown. */
const MIN_SECONDS = 0.02

/**
 * Words in the order of the tokens, or of their times if these make the text. The service's own text decides where blanks
 * are, and has the words that have no token. Times are never negative and never run backward, and each word lasts.
 */
export function wordsOfTokens(tokens: readonly Token[], text: string | null = null): Word[] {
  const byTime = inOrderOfTime(tokens, text !== null)
  const found = text === null ? null : matched(tokens, text)
  const foundByTime = text === null || byTime === null ? null : matched(byTime, text)
  const isByTime = (foundByTime?.strangers ?? Number.POSITIVE_INFINITY) < (found?.strangers ?? Number.POSITIVE_INFINITY)
  const placed = (isByTime ? foundByTime : found)?.placed
  const alone = () => placedByBlanks((byTime ?? tokens).filter(({ word }) => word.trim() !== ''))
  return timed(wholeWords(placed ?? alone()))
}

/**
 * For services that join their tokens with blanks to make the text, in every script. Without a token that is a word, the
 * text has no times.
 */
export function spokenOf(tokens: readonly Token[], text: string | null): Pick<Recognized, 'words' | 'untimed'> {
  const own = text === null ? null : withoutNeedlessBlanks(text, tokens)
  if (own !== null && tokens.every(({ word }) => word.trim() === '')) return { words: [], untimed: own }
  return { words: wordsOfTokens(tokens, own) }
}

/** Without the blanks of Chinese and Japanese; of Thai and its like only if there is one between all tokens. */
function withoutNeedlessBlanks(text: string, tokens: readonly Token[]): string {
  const pieces = text.trim().split(/\s+/)
  const areTokens = pieces.length === tokens.length
  return pieces.reduce((whole, piece) => {
    const isJoined = areTokens && (CLOSING.test(piece) || isUnspacedBorder(whole, piece))
    const isNeedless = isJoined || isFullWidthBorder(whole, piece)
    return whole + (whole === '' || isNeedless ? '' : ' ') + piece
  }, '')
}

/**
 * In the order of their times; null if they are, or are but for times that are odd. Without a text that decides about it,
 * a token has to be over before the one before it begins.
 */
function inOrderOfTime(tokens: readonly Token[], hasText: boolean): Token[] | null {
  const isBefore = ({ start, end }: Token, other: Token | undefined) => {
    // Zero without a length is no time.
    if (start === null || start < 0 || other?.start == null || (start === 0 && (end ?? 0) <= 0)) return false
    return hasText ? start < other.start : end !== null && end >= start && end <= other.start && start < other.start
  }
  if (!tokens.some((token, index) => isBefore(token, tokens[index - 1]))) return null
  const latest = Math.max(...inOrder(tokens.map(({ start }) => start)).map((start) => start ?? 0))
  if (tokens.some(({ start }) => start !== null && start > latest + ODD_SECONDS)) return null
  // What has no time stays behind the token before it.
  let at = 0
  const places = tokens.map((token) => {
    at = token.start ?? at
    return { token, at }
  })
  return places.sort((one, other) => one.at - other.at).map(({ token }) => token)
}

/** Without a text: if tokens have blanks, these decide where words begin; else each token is a word. */
function placedByBlanks(tokens: readonly Token[]): PlacedToken[] {
  const begins = (index: number) => /^\s/.test(tokens[index]!.word) || /\s$/.test(tokens[index - 1]?.word ?? '')
  const blanks = tokens.filter((_token, index) => begins(index)).length
  const hasBlanks = blanks > 0 && blanks >= tokens.length * MIN_BLANK_SHARE
  return tokens.map((token, index) => {
    const word = token.word.trim()
    const before = tokens[index - 1]?.word.trim() ?? ''
    const isAttached = hasBlanks ? !begins(index) : CLOSING.test(word) || isUnspacedBorder(before, word)
    return { ...token, word, isAttached: index > 0 && isAttached }
  })
}

/** Parts of one word become one. Scripts without blanks keep their words apart, with a mark that no blank is there. */
function wholeWords(tokens: readonly PlacedToken[]): (Token & { isGlued?: true })[] {
  const words: (Token & { isGlued?: true })[] = []
  for (const { isAttached, ...token } of tokens) {
    const last = words.at(-1)
    const isLetter = /^[\p{L}\p{N}]/u.test(token.word)
    const isOwnWord = isLetter && (isUnspaced(last?.word.at(-1) ?? '') || isUnspaced(token.word.at(0) ?? ''))
    if (last === undefined || !isAttached) words.push({ ...token })
    else if (isOwnWord) words.push({ ...token, isGlued: true })
    else {
      last.word += token.word
      last.start ??= token.start
      last.end = token.end ?? last.end
      last.confidence ??= token.confidence
    }
  }
  return words
}

/** Words without a usable time share the gap between their neighbors, and so do words at one moment without a length. */
function timed(tokens: readonly (Token & { isGlued?: true })[]): Word[] {
  const isRepeated = (index: number) => {
    const [{ start, end }, before] = [tokens[index]!, tokens[index - 1]]
    return start !== null && start === before?.start && (end ?? start) <= start
  }
  const usable = tokens.map(({ start }, index) => (start === null || isRepeated(index) ? null : Math.max(0, start)))
  const starts = inOrder(usable)
  const nextTimed: number[] = []
  for (let index = tokens.length - 1, next = -1; index >= 0; index--) {
    nextTimed[index] = next
    if (starts[index] !== null) next = index
  }
  const words: Word[] = []
  for (const [index, token] of tokens.entries()) {
    const last = words.at(-1)
    const next = nextTimed[index]!
    const missing = (next < 0 ? tokens.length : next) - index
    const before = Math.max(last?.start ?? 0, next < 0 ? (last?.end ?? 0) : Math.min(last?.end ?? 0, starts[next]!))
    const until = next < 0 ? before + WORD_SECONDS * missing : Math.max(before, starts[next]!)
    const start = starts[index] ?? before
    const usual = starts[index] === null ? start + (until - before) / missing : start + WORD_SECONDS
    const isOdd = token.end === null || token.end <= start || (next >= 0 && token.end > until + 1)
    const end = isOdd ? Math.max(start + MIN_SECONDS, next < 0 ? usual : Math.min(usual, until)) : token.end!
    words.push({ ...token, start, end })
  }
  return words
}

/** Without the times that are out of order: the most that are in order stay, the others become null. */
function inOrder(times: readonly (number | null)[]): (number | null)[] {
  /** For each length of a row in order: the index at which the row with the smallest last time ends. */
  const ends: number[] = []
  const previous: number[] = []
  for (const [index, time] of times.entries()) {
    if (time === null) continue
    let low = 0
    for (let high = ends.length; low < high; ) {
      const middle = (low + high) >> 1
      if (times[ends[middle]!]! <= time) low = middle + 1
      else high = middle
    }
    previous[index] = ends[low - 1] ?? -1
    ends[low] = index
  }
  const kept = new Set<number>()
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at]!) kept.add(at)
  return times.map((time, index) => (kept.has(index) ? time : null))
}
