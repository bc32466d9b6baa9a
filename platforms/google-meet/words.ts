/** Names of the wording that the driver uses; the words themselves are data, one file for each language. */
import { mergeWords, type PartialWords } from '../shared/words.ts'
import { GERMAN } from './words/de.ts'
import { ENGLISH } from './words/en.ts'
import { SPANISH } from './words/es.ts'
import { FRENCH } from './words/fr.ts'
import { HUNGARIAN } from './words/hu.ts'
import { JAPANESE } from './words/ja.ts'
import { POLISH } from './words/pl.ts'
import { PORTUGUESE } from './words/pt.ts'
import { RUSSIAN } from './words/ru.ts'

export type MeetWords = typeof ENGLISH
export type PageStateText = keyof MeetWords['states']
export type DialogText = keyof MeetWords['dialogs']
export type LabelName = keyof MeetWords['labels']

export const STATE_TEXTS = Object.keys(ENGLISH.states) as PageStateText[]
export const LABELS = Object.keys(ENGLISH.labels) as LabelName[]

/** Only observed words; the rest of such a page is found by its structure. */
export type OtherWords = PartialWords<MeetWords>

export const OTHER_LANGUAGES: Readonly<Record<string, OtherWords>> = {
  de: GERMAN,
  es: SPANISH,
  fr: FRENCH,
  hu: HUNGARIAN,
  ja: JAPANESE,
  pl: POLISH,
  pt: PORTUGUESE,
  ru: RUSSIAN,
}

/** The driver asks for the page in English; the words of other languages serve where the page ignores that. */
export const WORDS = mergeWords<MeetWords>(ENGLISH, Object.values(OTHER_LANGUAGES))
