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
import { MORE_NAMES } from './words/names.ts'
import { PORTUGUESE } from './words/pt.ts'

export type PageStateText = keyof typeof ENGLISH.states
export type DialogText = keyof typeof ENGLISH.dialogs
export type LabelName = keyof typeof ENGLISH.labels

type Expressions<Name extends string> = Record<Name, readonly RegExp[]>
export interface AllWords {
  states: Expressions<PageStateText>
  dialogs: Expressions<DialogText>
  labels: Expressions<LabelName>
  [table: string]: Readonly<Record<string, readonly RegExp[]>>
}
/** Only observed words; the rest of such a page is found by its structure. */
export type TeamsWords = PartialWords<{
  states: Expressions<PageStateText>
  dialogs: Expressions<DialogText>
  labels: Expressions<LabelName>
}>

export const LANGUAGES = { en: ENGLISH, de: GERMAN, fr: FRENCH, es: SPANISH, pt: PORTUGUESE, ja: JAPANESE }

export const WORDS = mergeWords<AllWords>(ENGLISH, [GERMAN, FRENCH, SPANISH, PORTUGUESE, JAPANESE, MORE_NAMES])
