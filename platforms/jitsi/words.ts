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

export const STATE_TEXTS = [
  'removed',
  'lobby_closed',
  'time_limit',
  'ended_for_all',
  'reconnecting',
  'reloading',
  'suspended',
  'deep_link',
] as const
export type PageStateText = (typeof STATE_TEXTS)[number]

const DIALOG_TEXTS = ['waiting_for_host', 'password', 'login', 'consent', 'feedback', 'to_whom', 'local_name'] as const
export type DialogText = (typeof DIALOG_TEXTS)[number]

export const LABELS = [
  'microphoneOn',
  'microphoneOff',
  'microphoneSwitch',
  'cameraOn',
  'cameraOff',
  'cameraSwitch',
  'leave',
  'leaveOnly',
  'openChat',
  'closeChat',
  'send',
  'chatDisabled',
  'launchWeb',
  'understood',
  'waitForModerator',
  'sendToAll',
  'dismiss',
] as const
export type LabelName = (typeof LABELS)[number]

export type JitsiWords = {
  states: Record<PageStateText, readonly RegExp[]>
  dialogs: Record<DialogText, readonly RegExp[]>
  labels: Record<LabelName, readonly RegExp[]>
}
export type PartialJitsiWords = PartialWords<JitsiWords>

/** All languages together: the page may be half translated. */
export const WORDS: JitsiWords = mergeWords(ENGLISH, [GERMAN, FRENCH, SPANISH, PORTUGUESE, JAPANESE])
