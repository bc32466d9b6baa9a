/**
 * Scenarios of joining through the SDK (docs/platform-notes/zoom.md#the-mock). Every other scenario of the mock can be
 * joined so as well.
 */
import { inCall, THREE, turn } from '../../shared/scenario.ts'
import { ADMITTED, crowd, OPEN, type ZoomScenario } from '../scenario.ts'
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
  'sdk-happy': {
    ...straightIn('A meeting of the own account: three people talk and write, then the host ends it'),
    people: THREE,
    timeline: [
      ...turn('ann', 3, 7),
      ...turn('bob', 8, 12),
      inCall(5, 'say', 'cleo', 'Good morning!'),
      inCall(40, 'endForAll'),
    ],
  },
  'sdk-happy-preview': straightIn('The preview page is on and takes a click of a real hand only', { preview: true }),
  'sdk-waiting-room-admit': { about: 'The host lets the bot in', timeline: ADMITTED },
  'sdk-waiting-room-timeout': { about: 'The host never admits the bot' },
  'sdk-waiting-room-kick': { about: 'The host sends the bot out of the waiting room' },
  'sdk-host-not-started-then-starts': straightIn('The host has not begun; the SDK itself looks again', {
    waitsForHost: true,
  }),
  'sdk-host-3008-then-starts': refused('Not started, in a number only: the bot has to join again', 3008, {
    errorTimes: 2,
  }),
  'sdk-host-never-starts': refused('The host never begins', 3008),
  'sdk-no-appkey-silent': straightIn('join says nothing on any channel', { isSilent: true }),
  'sdk-app-deactivated-3710': refused('The app is deactivated', 3710),
  'sdk-old-version-10000': refused('The SDK is too old', 10_000),
  'sdk-wrong-passcode-3004': refused('The passcode is wrong, and the error is reported twice', 3004, {
    isReportedTwice: true,
  }),
  'sdk-login-required-3100': straightIn('Signed-in people only; an access key makes the bot one', {
    needsAccount: true,
  }),
  'sdk-registration-3099': straightIn('Registered people only; their link has a token', { needsRegistration: true }),
  'sdk-external-unpublished-4011': straightIn('A meeting of another account, an app that is not published', {
    account: 'unpublished',
  }),
  'sdk-anonymous-4012': straightIn('A meeting of another account wants a token', { account: 'foreign' }),
  'sdk-obf-code1-legacy': refused('An older SDK says 1 where the authorizing user is not there', 1, { errorTimes: 1 }),
  'sdk-locked-4006': refused('The meeting is locked', 4006),
  'sdk-full-4005': refused('The meeting is full', 4005),
  'sdk-duplicate-4008': refused('The same participant is in on another device', 4008),
  'sdk-removed-before-3009': refused('The bot was removed before', 3009),
  'sdk-browser-off-3611': refused('Not from a browser', 3611),
  'sdk-captcha-3634': refused('Too many joins from this address: a captcha', 3634),
  'sdk-wasm-fail-3635': refused('The media files do not come', 3635, { errorTimes: 1 }),
  'sdk-service-offline-403': refused('The service is offline for a moment', 403, { errorTimes: 1 }),
  'sdk-ended-4004': refused('The meeting is over when the bot comes', 4004),
  'sdk-join-timeout-dialog': straightIn('A dialog says that joining took too long', {}, { afterJoin: 'timeout' }),
  'sdk-disclaimer': straightIn("The organization's terms have to be agreed to", {}, { disclaimer: true }),
  'sdk-rec-allowed': recording('The bot may record without asking', { isAllowed: true }),
  'sdk-rec-granted': recording('The host allows the recording after a while', {
    answer: { allow: true, afterMs: 8000 },
  }),
  'sdk-rec-denied': recording('The host does not allow it', { answer: { allow: false, afterMs: 2000 } }),
  'sdk-rec-no-answer': recording('The host says nothing', { answer: null }),
  'sdk-rec-no-host-then-host': {
    ...recording('No participant can allow it; then a host comes', {}),
    people: [{ id: 'bob', name: 'Bob Berg', camera: true }],
  },
  'sdk-rec-not-enabled': recording('Local recording is off', { isEnabled: false }),
  'sdk-rec-requests-off': recording('Requests are off', { mayAsk: false }),
  'sdk-rec-deny-all': recording('The host denies all requests', { deniesAll: true }),
  'sdk-rec-host-zoom-rooms': recording("The host's client cannot answer", { hostCanAnswer: false }),
  'sdk-rec-granted-never-starts': recording('Allowed, but the capture never begins', {
    isAllowed: true,
    neverStarts: true,
  }),
  'sdk-kicked': straightIn('The host removes the bot'),
  'sdk-end-closes-itself': straightIn('The dialog of the end closes by itself; the SDK says why', {
    endClosesItself: true,
  }),
  'sdk-alone': { ...straightIn('No other participant is there', { recording: { isAllowed: true } }), people: [] },
  'sdk-audio-worklet': straightIn('Sound through an AudioContext', {}, { page: { playback: 'worklet' } }),
  'sdk-audio-loopback': straightIn('Sound through a connection with itself', {}, { page: { playback: 'loopback' } }),
  'sdk-30-participants': { ...straightIn('Thirty people'), people: crowd(30) },
}
