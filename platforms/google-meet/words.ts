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

export const STATE_TEXTS = [
  'removed',
  'everyone_left',
  'ended_for_all',
  'denied',
  'request_timed_out',
  'left',
  'blocked',
  'invalid_code',
  'expired_code',
  'call_error',
  'credentials_lost',
  'landing',
  'marketing',
  'waiting_for_host',
  'lobby',
  'reconnecting',
  'loading',
  'countdown',
] as const
export type PageStateText = (typeof STATE_TEXTS)[number]

const DIALOG_TEXTS = ['device_prompt', 'signin_promo', 'consent', 'alone', 'leave_host'] as const
export type DialogText = (typeof DIALOG_TEXTS)[number]

export const LABELS = [
  'join',
  'joinWording',
  'switchHere',
  'withoutAccount',
  'yourName',
  'microphoneOn',
  'microphoneOff',
  'microphoneProblem',
  'cameraOn',
  'cameraOff',
  'cameraProblem',
  'leave',
  'justLeave',
  'chat',
  'chatBox',
  'people',
  'peopleCount',
  'captions',
  'turnOnCaptions',
  'shareScreen',
  'rejoin',
  'askAgain',
  'returnHome',
  'handToast',
  'reactionToastName',
  'reactionToastEmoji',
  'you',
  'youMark',
  'waitingList',
  'presentation',
  'chatToast',
  'pinHint',
  'useDevices',
  'withoutDevices',
  'gotIt',
  'stay',
  'consentYes',
  'consentNo',
] as const
export type LabelName = (typeof LABELS)[number]

type Table<Name extends string> = Readonly<Record<Name, readonly RegExp[]>>

export type MeetWords = Readonly<{
  states: Table<PageStateText>
  signIn: Table<'heading' | 'body'>
  dialogs: Table<DialogText>
  labels: Table<LabelName>
}>

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
