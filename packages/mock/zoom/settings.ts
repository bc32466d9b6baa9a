/** The settings of a scenario. The seed chooses those that the scenario leaves out. */
import { randomOf } from '../shared/page/random.ts'
import type { PageSettings } from './page/meeting.entry.ts'
import type { PreviewSettings } from './page/protocol.ts'

/** All times are milliseconds at speed 1. */
export const DEFAULTS = {
  /** The document at the address of the web client. */
  load: 'client' as
    | 'client'
    | 'invalid-link'
    | 'sign-in'
    | 'signed-in-only'
    | 'sign-in-text'
    | 'authorized-only'
    | 'registration'
    | 'external'
    | 'something-wrong',
  /**
   * The error page of an invalid link is shown until the host has started (docs/platform-notes/zoom.md#invalid-links);
   * Infinity is for ever.
   */
  invalidForMs: 0,
  /** How many loads stay white, or stay at the spinner. */
  blankLoads: 0,
  stalledLoads: 0,
  loadingMs: 1500,
  launch: 'new' as 'new' | 'old' | 'old-without-browser',
  form: 'react' as 'react' | 'classic',
  /** The client runs in a frame of the web app. */
  framed: false,
  /** The meeting page is served by the company's own host. */
  vanity: false,
  cookies: false,
  disclaimer: false,
  /** `link`: the link's passcode suffices; `asked`: the form asks although the link has it. */
  passcode: 'link' as 'link' | 'asked' | 'wrong-in-link' | 'missing-in-link',
  botWall: 'none' as 'none' | 'at-once' | 'after-join' | 'late' | 'captcha-failed',
  joinMs: 2000,
  /** Accounts come straight in, as if they were invited. */
  accountsAreInvited: false,
  afterJoin: 'lobby' as
    | 'lobby'
    | 'call'
    | 'waiting-for-host'
    | 'sign-in'
    | 'error-1132'
    | 'browser-off'
    | 'policy'
    | 'locked'
    | 'full'
    | 'removed-before'
    | 'ended'
    | 'timeout',
  admissionMs: 1000,
  /** The waiting room of today, or that of older builds. */
  waitingLook: 'current' as 'current' | 'old' | 'sdk',
  /** Dialogs that come right after entry, one over the other. */
  notices: [] as readonly string[],
  reconnectMs: 60_000,
  preview: {} as Partial<PreviewSettings>,
  page: {} as Partial<PageSettings>,
  /** Follows the browser's language instead of the mock's. */
  browserLanguage: false,
}
export type ScenarioSettings = typeof DEFAULTS

const FOOTER_HIDE_MS = 3000
const ACTIVE_LINGER_MS = 3000

export interface Load {
  seed: number
  speed: number
  lang: string
  isFramed: boolean
}

/** The page of one load: what the scenario fixes stays, the seed decides the rest. */
export function pageSettings(scenario: ScenarioSettings, { seed, speed, lang, isFramed }: Load): PageSettings {
  const random = randomOf(seed + 203)
  const scaled = (ms: number) => Math.round(ms / speed)
  const bySeed = {
    view: random.chance(0.3) ? ('gallery' as const) : ('speaker' as const),
    unifiedList: random.chance(0.5),
    chatWrapper: random.chance(0.5),
    chatVirtuoso: random.chance(0.5),
    stackedPanels: random.chance(0.5),
    chatListsPeople: random.chance(0.5),
    chatTip: random.chance(0.4),
    chatReceiver: random.chance(0.3) ? ('group' as const) : ('everyone' as const),
  }
  const { page } = scenario
  const lingerMs = page.activeLingerMs === undefined ? ACTIVE_LINGER_MS : page.activeLingerMs
  return {
    topic: 'Weekly Planning',
    waiting: 1,
    chatDrawsLate: false,
    playback: 'webrtc',
    chat: 'on',
    chatEditor: 'rich',
    audio: 'auto',
    swallow: {},
    workletPath: '',
    pollPath: '/wc/ping',
    ...bySeed,
    ...page,
    devices: page.devices ?? 'ask',
    lang: page.lang ?? lang,
    seed,
    isFramed,
    secondMs: scaled(1000),
    activeLingerMs: lingerMs === null ? null : scaled(lingerMs),
    footerHideMs: scaled(page.footerHideMs ?? FOOTER_HIDE_MS),
  }
}

export function previewSettings(scenario: ScenarioSettings, asksPasscode: boolean): PreviewSettings {
  return {
    passcode: asksPasscode,
    email: false,
    name: '',
    lenient: false,
    swallowedClicks: 0,
    permission: 'auto',
    devices: scenario.page.devices ?? 'ask',
    captcha: 'invisible',
    wall: scenario.botWall === 'at-once' ? 'bot' : 'none',
    passcodeError: '',
    ...scenario.preview,
  }
}
