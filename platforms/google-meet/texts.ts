/** Wording by language. The page is asked for English; what is known of other languages is met where it is ignored. */
import { ENGLISH } from './texts.en.ts'
import { OTHERS } from './texts.other.ts'

export const SITUATION_TEXTS = [
  'removed',
  'everyone_left',
  'ended_for_all',
  'denied',
  'knock_timed_out',
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
export type SituationText = (typeof SITUATION_TEXTS)[number]

export const DIALOG_TEXTS = ['device_prompt', 'signin_promo', 'consent', 'alone', 'leave_host'] as const
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
  'shareScreen',
  'rejoin',
  'askAgain',
  'returnHome',
  'you',
  'youMark',
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

export interface Texts {
  situations: Record<SituationText, readonly RegExp[]>
  signInHeading: readonly RegExp[]
  signInBody: readonly RegExp[]
  dialogs: Record<DialogText, readonly RegExp[]>
  labels: Record<LabelName, readonly RegExp[]>
}

/** Only what was seen; everything else of such a page is found by its structure. */
export interface PartialTexts {
  situations?: Partial<Texts['situations']>
  dialogs?: Partial<Texts['dialogs']>
  labels?: Partial<Texts['labels']>
}

/** All languages together: a half-translated page is met as well. */
export const TEXTS: Texts = {
  signInHeading: compiled(ENGLISH.signInHeading),
  signInBody: compiled(ENGLISH.signInBody),
  situations: merged(SITUATION_TEXTS, ENGLISH.situations, 'situations'),
  dialogs: merged(DIALOG_TEXTS, ENGLISH.dialogs, 'dialogs'),
  labels: merged(LABELS, ENGLISH.labels, 'labels'),
}

function merged<Name extends string>(
  names: readonly Name[],
  english: Record<Name, readonly RegExp[]>,
  part: keyof PartialTexts,
): Record<Name, readonly RegExp[]> {
  const all = names.map((name): [Name, readonly RegExp[]] => {
    const more = OTHERS.flatMap((texts) => (texts[part] as Partial<Record<Name, readonly RegExp[]>>)?.[name] ?? [])
    return [name, compiled([...english[name], ...more])]
  })
  return Object.fromEntries(all) as Record<Name, readonly RegExp[]>
}

/** Upper and lower case never matter, in any language. */
function compiled(expressions: readonly RegExp[]): RegExp[] {
  return expressions.map(({ source }) => new RegExp(source, 'iu'))
}

/** As text is compared: straight apostrophes, three dots, plain single spaces. */
export function plain(text: string): string {
  return text
    .replace(/[‘’ʼ＇]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/…/g, '...')
    .replace(/[\s\u00a0\u202f\u200b]+/g, ' ')
    .trim()
}

export function matches(expressions: readonly RegExp[], text: string): boolean {
  const compared = plain(text)
  return expressions.some((expression) => expression.test(compared))
}

/** One source for each label, to be compiled in the page with the flags `iu`. */
export function labelSources(): Record<LabelName, string> {
  const sources = LABELS.map((name): [LabelName, string] => [
    name,
    TEXTS.labels[name].map(({ source }) => `(?:${source})`).join('|'),
  ])
  return Object.fromEntries(sources) as Record<LabelName, string>
}

export function labelIsJoin(label: string): boolean {
  return matches(TEXTS.labels.join, label)
}
