/**
 * Wording by language. The driver asks for the page in English; the words of other languages serve where the page
 * ignores that.
 */
import { mergeWords, type PartialWords } from '../shared/words.ts'
import { GERMAN } from './words/de.ts'
import { ENGLISH } from './words/en.ts'
import { SPANISH } from './words/es.ts'
import { FRENCH } from './words/fr.ts'
import { JAPANESE } from './words/ja.ts'
import { PORTUGUESE } from './words/pt.ts'

export type JitsiWords = typeof ENGLISH
export type PageStateText = keyof JitsiWords['states']
export type DialogText = keyof JitsiWords['dialogs']
export type LabelName = keyof JitsiWords['labels']

export const STATE_TEXTS = Object.keys(ENGLISH.states) as PageStateText[]
export const LABELS = Object.keys(ENGLISH.labels) as LabelName[]

export type PartialJitsiWords = PartialWords<JitsiWords>

/** All languages together: the page may be half translated. */
export const WORDS: JitsiWords = mergeWords(ENGLISH, [GERMAN, FRENCH, SPANISH, PORTUGUESE, JAPANESE])
