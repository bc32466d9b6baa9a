/**
 * Scenarios of joining through the SDK (docs/platform-notes/zoom.md#the-mock). Every other scenario of the mock can be
 * joined so as well.
 */
import { OPEN, type ZoomScenario } from '../scenario.ts'
import type { ScenarioSettings } from '../settings.ts'
import type { RecordingSettings } from './page/protocol.ts'
import type { SdkSettings } from './settings.ts'

export type SdkScenario = ZoomScenario & {
  sdk?: Omit<Partial<SdkSettings>, 'recording'> & { recording?: Partial<RecordingSettings> }
}

type Sdk = SdkScenario['sdk']

const straightIn = (about: string, sdk: Sdk = {}, settings: Partial<ScenarioSettings> = {}): SdkScenario => ({
  about,
  settings: { ...OPEN, ...settings },
  sdk,
})
const refused = (about: string, error: number, more: Sdk = {}) => straightIn(about, { error, ...more })
const recording = (about: string, settings: Partial<RecordingSettings>) => straightIn(about, { recording: settings })

export const SDK_SCENARIOS: Readonly<Record<string, SdkScenario>> = {
  'sdk-happy-preview': straightIn('The preview page is on and takes a click of a real hand only', { preview: true }),
  'sdk-waiting-room-kick': { about: 'The host sends the bot out of the waiting room' },
  'sdk-host-not-started-then-starts': straightIn('The host has not begun; the SDK itself looks again', {
    waitsForHost: true,
  }),
  'sdk-host-3008-then-starts': refused('Not started, in a number only: the bot has to join again', 3008, {
    errorTimes: 2,
  }),
  'sdk-login-required-3100': straightIn('Signed-in people only; an access key makes the bot one', {
    needsAccount: true,
  }),
  'sdk-external-unpublished-4011': straightIn('A meeting of another account, an app that is not published', {
    account: 'unpublished',
  }),
  'sdk-anonymous-4012': straightIn('A meeting of another account wants a token', { account: 'foreign' }),
  'sdk-full-4005': refused('The meeting is full', 4005),
  'sdk-join-timeout-dialog': straightIn('A dialog says that joining took too long', {}, { afterJoin: 'timeout' }),
  'sdk-disclaimer': straightIn("The organization's terms have to be agreed to", {}, { disclaimer: true }),
  'sdk-rec-no-answer': recording('The host says nothing', { allowsAfterMs: null }),
  'sdk-rec-not-enabled': recording('Local recording is off', { isEnabled: false }),
  'sdk-end-closes-itself': straightIn('The dialog of the end closes by itself; the SDK says why', {
    endClosesItself: true,
  }),
  'sdk-audio-worklet': straightIn('Sound through an AudioContext', {}, { page: { playback: 'worklet' } }),
}
