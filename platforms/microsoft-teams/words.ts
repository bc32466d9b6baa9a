/**
 * Wording by language. The driver asks for the page in English; the words of other languages serve where the page
 * ignores that.
 */
import { mergeWords, type PartialWords, type Words } from '../shared/words.ts'
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

/** Only observed words; the rest of such a page is found by its structure. */
export type TeamsWords = PartialWords<typeof ENGLISH>

export const LANGUAGES = { en: ENGLISH, de: GERMAN, fr: FRENCH, es: SPANISH, pt: PORTUGUESE, ja: JAPANESE }

export const WORDS: typeof ENGLISH & Words = mergeWords(ENGLISH, [
  GERMAN,
  FRENCH,
  SPANISH,
  PORTUGUESE,
  JAPANESE,
  MORE_NAMES,
])
