/** Words from the pieces in which speech services give a text: whole words or parts of words, with times or without. */
import type { Word } from './types.ts'

export interface Token {
  word: string
  /** Seconds; null if the service gives no usable time. */
  start: number | null
  end: number | null
  confidence: number | null
}

/** What belongs to the word before it, if no blank says otherwise. */
const CLOSING = /^(?:[.,!?;:%…。！？、，)\]}»”]+|['’](?:s|t|re|ve|ll|d|m))$/iu
/** Scripts that put no blanks between words. */
const WITHOUT_BLANKS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u
/** A word without neighbors that have times takes about this long. */
const WORD_SECONDS = 0.35

/** Words in the order of the tokens. Times are never negative and never run backward. */
export function wordsOfTokens(tokens: readonly Token[]): Word[] {
  return timed(joinedTokens(tokens.filter(({ word }) => word.trim() !== '')))
}

/** If any token begins with a blank, blanks decide where words begin; else each token is a word. */
function joinedTokens(tokens: readonly Token[]): Token[] {
  const hasBlanks = tokens.some(({ word }) => /^\s/.test(word))
  const isWithoutBlanks = tokens.some(({ word }) => WITHOUT_BLANKS.test(word))
  const words: Token[] = []
  for (const token of tokens) {
    const last = words.at(-1)
    const isPart = hasBlanks ? !/^\s/.test(token.word) && !isWithoutBlanks : CLOSING.test(token.word)
    if (last === undefined || !isPart) words.push({ ...token, word: token.word.trim() })
    else {
      last.word += token.word.trim()
      last.start ??= token.start
      last.end = token.end ?? last.end
    }
  }
  return words
}

/** Words without times share the gap between their neighbors. */
function timed(tokens: readonly Token[]): Word[] {
  const words: Word[] = []
  const nextTimed: number[] = []
  for (let index = tokens.length - 1, next = -1; index >= 0; index--) {
    nextTimed[index] = next
    if (tokens[index]!.start !== null) next = index
  }
  for (const [index, { word, start: given, end, confidence }] of tokens.entries()) {
    const before = words.at(-1)?.end ?? 0
    const next = nextTimed[index]!
    const until = next < 0 ? before + WORD_SECONDS * (tokens.length - index) : Math.max(before, tokens[next]!.start!)
    const share = (until - before) / ((next < 0 ? tokens.length : next) - index)
    const start = Math.max(words.at(-1)?.start ?? 0, given ?? before)
    const usual = given === null ? start + share : Math.min(start + WORD_SECONDS, Math.max(start, until))
    words.push({ word, start, end: Math.max(start, end ?? usual), confidence })
  }
  return words
}
