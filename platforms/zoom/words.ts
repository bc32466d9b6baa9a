/** The wording of Zoom's web client in all known languages; the languages themselves are in `words/`. */
import { mergeWords } from '../shared/words.ts'
import { GERMAN } from './words/de.ts'
import { ENGLISH } from './words/en.ts'
import { SPANISH } from './words/es.ts'
import { FRENCH } from './words/fr.ts'
import { JAPANESE } from './words/ja.ts'
import { PORTUGUESE } from './words/pt.ts'

export type ZoomWords = typeof ENGLISH
export type PageStateWord = keyof ZoomWords['states']
export type DialogWord = keyof ZoomWords['dialogs']
export type LabelName = keyof ZoomWords['labels']

/** The driver asks for the page in English; the page may be half translated. */
export const WORDS: ZoomWords = mergeWords(ENGLISH, [GERMAN, FRENCH, SPANISH, PORTUGUESE, JAPANESE])
