/** Zoom's part of the words in use; the words themselves are data (packages/wire/words.json). */
import { wordsOf } from '../shared/words.ts'

export const { WORDS, SELECTORS } = wordsOf('zoom')

export type PageStateWord = keyof typeof WORDS.states
export type DialogWord = keyof typeof WORDS.dialogs
export type LabelName = keyof typeof WORDS.labels
