/** Whose word each word is, by the meeting's own account of who spoke when. Pure. */
import type { Turn, Utterance, Word } from './types.ts'

type Speaker = Pick<Turn, 'speaker' | 'userId'>

/** A word this far outside every turn gets no speaker: turns begin late and end early, but not by more. */
const NEAR_SECONDS = 1
/** A pause that ends an utterance. */
const PAUSE_SECONDS = 1.2
/** So that no utterance fills a screen: an hour of one speaker is many of them. */
const MAX_SECONDS = 30
const NOBODY: Speaker = { speaker: 'Unknown', userId: null }
const SENTENCE_END = /[.!?。！？…]$/

/** Utterances in order of time. A word goes to the speaker of most of it, and in doubt to the previous speaker. */
export function utterancesOf(words: readonly Word[], turns: readonly Turn[], language: string | null): Utterance[] {
  const utterances: Utterance[] = []
  const byStart = turns.toSorted((one, other) => one.start - other.start)
  for (const word of words.toSorted((one, other) => one.start - other.start)) {
    const last = utterances.at(-1)
    const { speaker, userId } = speakerOf(word, byStart, last ?? NOBODY)
    if (last && isSame(last, { speaker, userId }) && !endsBefore(last, word)) {
      last.words.push(word)
      last.end = Math.max(last.end, word.end)
      last.text = joined(last.words)
    } else {
      const text = joined([word])
      utterances.push({ speaker, userId, start: word.start, end: word.end, text, language, words: [word] })
    }
  }
  return utterances
}

/** Joins utterances of one person without a pause between them; in order of time. */
export function inOneBreath(pieces: readonly Utterance[]): Utterance[] {
  const utterances: Utterance[] = []
  for (const piece of pieces.toSorted((one, other) => one.start - other.start)) {
    const last = utterances.at(-1)
    if (last && isSame(last, piece) && !endsBefore(last, piece)) {
      const words = [...last.words, ...piece.words]
      utterances[utterances.length - 1] = { ...last, end: piece.end, words, text: joined(words) }
    } else utterances.push(piece)
  }
  return utterances
}

function speakerOf(word: Word, turns: readonly Turn[], before: Speaker): Speaker {
  let best: { turn: Turn; overlap: number } | null = null
  let nearest: { turn: Turn; distance: number } | null = null
  for (const turn of turns) {
    if (turn.start > word.end + NEAR_SECONDS) break
    const overlap = Math.min(turn.end, word.end) - Math.max(turn.start, word.start)
    if (overlap > 0) {
      const isBetter = best === null || overlap > best.overlap || (overlap === best.overlap && isSame(turn, before))
      if (isBetter) best = { turn, overlap }
    } else if (-overlap <= NEAR_SECONDS && (nearest === null || -overlap < nearest.distance)) {
      nearest = { turn, distance: -overlap }
    }
  }
  return best?.turn ?? nearest?.turn ?? NOBODY
}

/** Two people may have one name. */
function isSame(one: Speaker, other: Speaker): boolean {
  return one.speaker === other.speaker && one.userId === other.userId
}

function endsBefore(utterance: Utterance, word: Pick<Word, 'start' | 'end'>): boolean {
  if (word.start - utterance.end > PAUSE_SECONDS) return true
  const isLong = word.end - utterance.start > MAX_SECONDS
  return isLong && SENTENCE_END.test(utterance.text)
}

/** Providers give words with their blanks or without; languages without blanks between words keep none. */
export function joined(words: readonly Word[]): string {
  const hasOwnBlanks = words.some(({ word }) => /^\s/.test(word))
  return words
    .map(({ word, isGlued }) => (hasOwnBlanks ? word : `${isGlued ? '' : ' '}${word.trim()}`))
    .join('')
    .replace(/\s+/g, ' ')
    .trim()
}
