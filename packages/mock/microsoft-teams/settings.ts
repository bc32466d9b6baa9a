/** The settings of a scenario, their defaults, and the choices of the seed. */
import { type Random, randomOf } from '../shared/page/random.ts'
import type { LinkForm } from './links.ts'
import type { PageSettings, RetryKind, SpeakingMark } from './page/protocol.ts'

/** From and to, milliseconds at speed 1. */
export type Range = readonly [number, number]

/** All times are milliseconds at speed 1 (docs/platform-notes/microsoft-teams.md#the-mock). */
export const DEFAULTS = {
  host: 'teams.microsoft.com',
  link: 'short' as LinkForm,
  skin: 'light' as 'light' | 'full',
  /** The document at the meeting's address. */
  load: 'meeting' as 'meeting' | 'http-404' | 'malformed' | 'sign-in',
  /** How many loads are answered with HTTP 503 first. */
  failedLoads: 0,
  launcher: 'auto' as 'auto' | 'choice',
  launcherMs: [1500, 4000] as Range,
  /** Each of the documents between the link and the page. */
  hopMs: [1500, 2500] as Range,
  /** The silent attempt to sign in: in a frame of the launcher, or as a separate page for a moment. */
  signInProbe: 'frame' as 'frame' | 'page',
  splashMs: [800, 3000] as Range,
  /** The first page loads once more, this long after the pre-join page was shown. */
  reloadMs: Number.POSITIVE_INFINITY,
  beforePreJoin: 'nothing' as 'nothing' | 'av-confirm' | 'permission-gate',
  microphoneAtFirst: true,
  cameraAtFirst: false,
  /** Until microphone and camera are known to the page. */
  deviceListMs: [300, 1500] as Range,
  /** The dialog "Continue without audio or video?" after joining. */
  avConfirm: 'never' as 'never' | 'once' | 'in-frame',
  avConfirmMs: [200, 1500] as Range,
  /** Accounts come straight in, as if they were invited. */
  accountsAreInvited: false,
  afterJoin: 'lobby' as 'lobby' | 'call' | 'wall' | 'not-started' | 'captcha' | RetryKind,
  /** Text of the wall. */
  wall: 'We need to verify your info before you can join',
  captchaMs: [500, 4000] as Range,
  retryMs: [1500, 4500] as Range,
  connectingMs: [1000, 5000] as Range,
  hasStarted: true,
  /** `ExternalBotAccessMode` of the organizer's policy; every bot that is not registered is detected. */
  botAccess: 'AllowAllBots' as 'AllowAllBots' | 'RequireApprovalWhenDetected' | 'BlockDetectedBots',
  /** Guests who are not admitted are removed from the lobby after this time. */
  lobbyMs: 1_800_000,
  /** The waiting room drops the first request without a word after this time. */
  lobbyDropMs: Number.POSITIVE_INFINITY,
  denial: 'denied' as RetryKind,
  denialMs: [300, 1500] as Range,
  admissionMs: [800, 3000] as Range,
  /** After admission the meeting turns out to be encrypted. */
  encrypted: false,
  removal: 'removed' as RetryKind,
  endMs: [300, 1500] as Range,
  leaveMs: 500,
  reconnectMs: 60_000,
  sendMs: [100, 600] as Range,
  /** Contributing sources and the main channel name the people of the roster. */
  mapsSources: true,
  /** The suffix of the bot's own name. */
  ownSuffix: null as string | null,
  page: {} as Partial<PageSettings>,
}
export type ScenarioSettings = typeof DEFAULTS

export const MARKS: readonly SpeakingMark[] = ['class', 'attribute', 'before', 'after', 'motion', 'aria']
const OWN_SUFFIXES = ['', ' (Unverified)', ' (Guest)', ' (External)']

/** Those of the page's settings that are times; at a higher speed they are shorter. The bar hides at a person's pace. */
const TIMES = [
  'shroudMs',
  'nameFieldMs',
  'badgeMs',
  'relayoutMs',
  'chatMountMs',
  'peopleMountMs',
  'captionMountMs',
  'unresolvedMs',
  'toastMs',
] as const satisfies readonly (keyof PageSettings)[]

/** The page of one load: what the scenario fixes stays, the seed decides the rest. */
export function pageSettings(
  scenario: ScenarioSettings,
  load: { seed: number; speed: number; lang: string; isFull: boolean },
): PageSettings {
  const page: PageSettings = {
    title: 'Microsoft Teams meeting',
    accountName: null,
    devices: 'ask',
    swallow: {},
    controls: scenario.host === 'teams.live.com' ? 'consumer' : 'work',
    badgeCap: 0,
    hangUp: 'plain',
    captionsItem: 'direct',
    chat: 'on',
    callObject: true,
    invited: [],
    waiting: [],
    hydrationMs: [100, 400],
    toolbarHideMs: 5000,
    relayoutMs: 5000,
    captionMountMs: 500,
    toastMs: 5000,
    lang: load.lang,
    ...bySeed(randomOf(load.seed + 101)),
    ...scenario.page,
    link: scenario.link,
    skin: load.isFull ? 'full' : 'light',
    seed: load.seed,
  }
  const scaled = (ms: number) => Math.round(ms / load.speed)
  for (const time of TIMES) page[time] = scaled(page[time])
  return { ...page, hydrationMs: [scaled(page.hydrationMs[0]), scaled(page.hydrationMs[1])] }
}

function bySeed(random: Random) {
  return {
    typographic: random.chance(0.5),
    cidMeansOn: random.chance(0.5),
    badge: random.chance(0.7) ? ('badge' as const) : ('tile' as const),
    redundantAudio: random.chance(0.4),
    // Two of the ways in which tiles ever showed speech: no driver can rely on one
    // (docs/platform-notes/microsoft-teams.md#the-mock).
    marks: shuffled(MARKS, random).slice(0, 2),
    shroudMs: random.int(500, 1500),
    nameFieldMs: 0,
    foreignLobby: false,
    badgeMs: random.int(0, 1000),
    chatMountMs: random.int(300, 1500),
    peopleMountMs: random.int(300, 1200),
    unresolvedMs: random.int(500, 2000),
  }
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, order: random.next() }))
    .sort((one, other) => one.order - other.order)
    .map(({ item }) => item)
}

/** The suffix of the bot's own name. The platform adds one in most meetings. */
export function ownSuffix(scenario: ScenarioSettings, seed: number): string {
  return scenario.ownSuffix ?? OWN_SUFFIXES[randomOf(seed + 7).int(0, OWN_SUFFIXES.length - 1)] ?? ''
}
