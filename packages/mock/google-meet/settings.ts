/** The settings of a scenario, their defaults, and the choices of the seed. */
import { type Random, randomOf } from '../shared/page/random.ts'
import type { PageSettings } from './page/protocol.ts'

/** All times are milliseconds at speed 1. */
export const DEFAULTS = {
  /** The document at the meeting's address. */
  load: 'meeting' as
    | 'meeting'
    | 'invalid-code'
    | 'code-does-not-work'
    | 'expired-code'
    | 'invalid-name'
    | 'landing'
    | 'login-wall',
  /** How many loads are answered with HTTP 503 first. */
  failedLoads: 0,
  /** Every load is refused with "You can't join this video call". */
  isBlocked: false,
  loadingMs: 1200,
  devicePrompt: 'auto' as 'auto' | 'twice',
  signinPromo: false,
  callErrorFlash: false,
  joinMs: 800,
  afterJoin: 'lobby' as
    | 'lobby'
    | 'call'
    | 'blocked'
    | 'denied'
    | 'suspected'
    | 'full'
    | 'login-wall'
    | 'waiting-for-host',
  /** Accounts come straight in, as if they were invited. */
  accountsAreInvited: false,
  lobbyTextDelayMs: 300,
  denial: 'denied' as 'denied' | 'left',
  lobbyTextAfterDenial: 'hidden' as 'hidden' | 'visible',
  requestTimeoutMs: 600_000,
  /** After so long without an answer the platform denies those of the second queue. */
  suspectedMs: 300_000,
  admissionMs: 700,
  consent: 'none' as 'none' | 'recording' | 'gemini' | 'other',
  /** Microphone and camera come on by themselves a second after admission. */
  devicesReset: false,
  /** How many "Got it" tips follow admission, one after another. */
  tips: 0,
  aloneMs: 300_000,
  aloneAnswerMs: 120_000,
  reconnectMs: 60_000,
  /** All people except the host share one sound. */
  mergedAudio: false,
  /** Captions come over their channel too, not on the page alone. */
  captionsChannel: true,
  /** The page's policy lets no worker start, so that a bot cannot paint frames. */
  workersAreRefused: false,
  page: {} as Partial<PageSettings>,
}
export type ScenarioSettings = typeof DEFAULTS

const HYDRATION_MS: [number, number] = [300, 800]
const TOOLBAR_HIDE_MS = 3000

/** The page of one load: what the scenario fixes stays, the seed decides the rest. */
export function pageSettings(
  scenario: ScenarioSettings,
  load: { code: string; seed: number; speed: number; lang: string },
): PageSettings {
  const random = randomOf(load.seed + 101)
  const scaled = (ms: number) => Math.round(ms / load.speed)
  const chosen = bySeed(random)
  const fixed = scenario.page
  const hydration = fixed.hydrationMs ?? HYDRATION_MS
  return {
    accountName: 'Standin Notes',
    signedIn: false,
    joinLabels: [scenario.afterJoin === 'call' ? 'Join now' : 'Ask to join'],
    joinJsname: 'Qx7uuf',
    joinWarning: '',
    joinDetail: '',
    lobbyTile: false,
    nameBoxReplaced: false,
    escapeTip: false,
    swallow: {},
    devices: 'ask',
    captcha: 'invisible',
    audio: 'elements',
    captionsMenu: false,
    chat: 'on',
    leaveDialog: false,
    heavy: false,
    ...chosen,
    workletPath: '',
    ...fixed,
    code: load.code,
    seed: load.seed,
    lang: fixed.lang ?? load.lang,
    secondMs: scaled(1000),
    hydrationMs: [scaled(hydration[0]), scaled(hydration[1])],
    // However fast a scenario runs, a slow machine gets its time to press something.
    toolbarHideMs: fixed.toolbarHideMs ?? TOOLBAR_HIDE_MS,
  }
}

function bySeed(random: Random) {
  return {
    typographic: random.chance(0.5),
    toggleTag: random.chance(0.5) ? ('div' as const) : ('button' as const),
    peopleBadge: random.chance(0.3),
    selfNameAttribute: random.chance(0.5),
    chatPins: random.chance(0.7),
  }
}
