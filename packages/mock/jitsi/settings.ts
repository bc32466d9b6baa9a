/** The settings of a scenario and their defaults. */
import { randomOf } from '../shared/page/random.ts'
import type { PageSettings } from './page/protocol.ts'

/** How the server responds to the join button. */
export type JoinResponse =
  | 'open'
  /** A waiting room that receives the join request at once. */
  | 'lobby'
  /** A waiting room with a separate button for the request. */
  | 'lobby-button'
  | 'password'
  /** No moderator is there to open the room. */
  | 'moderator'
  /** The same with a waiting room behind the dialog. */
  | 'moderator-lobby'
  | 'login-dialog'
  | 'full'
  | 'not-allowed'
  | 'account'
  | 'too-quick'
  | 'not-connected'

/** All times are milliseconds at speed 1. */
export const DEFAULTS = {
  /** The document at the room's address. */
  load: 'meeting' as 'meeting' | 'welcome' | 'sign-in' | 'not-found' | 'refused',
  /** How many loads are answered with HTTP 503 first. */
  failedLoads: 0,
  loadingMs: 1000,
  /** The page that offers the desktop app, even if the address asks to skip it. */
  deepLink: false,
  joinMs: 900,
  joinResponse: 'open' as JoinResponse,
  /** Of the room; null if it has none. */
  password: null as string | null,
  /** Where the page goes after a visit, and whether it says why it is over first. */
  afterwards: 'close' as 'close' | 'welcome' | 'nowhere',
  saysWhy: true,
  /** From the loss of the media to the loss of the server. */
  serverLossMs: 20_000,
  /** The overlay's countdown. */
  reloadMs: 12_000,
  page: {} as Partial<PageSettings>,
}
export type ScenarioSettings = typeof DEFAULTS

const HYDRATION_MS: [number, number] = [100, 400]
const TOOLBOX_HIDE_MS = 4000

/** The page of one load: what the scenario fixes stays, the seed decides the rest. */
export function pageSettings(
  scenario: ScenarioSettings,
  load: { room: string; seed: number; speed: number; lang: string; self: string },
): PageSettings {
  const scaled = (ms: number) => Math.round(ms / load.speed)
  const random = randomOf(load.seed + 211)
  const fixed = scenario.page
  const hydration = fixed.hydrationMs ?? HYDRATION_MS
  return {
    labels: 'new',
    readOnlyName: null,
    store: true,
    isModerator: false,
    chat: 'on',
    devices: 'ask',
    lobbyPassword: scenario.password !== null,
    mostTiles: 12,
    tileView: random.chance(0.5),
    feedback: false,
    swallow: {},
    ...fixed,
    ...load,
    afterwards: scenario.afterwards,
    lang: fixed.lang ?? load.lang,
    secondMs: scaled(1000),
    hydrationMs: [scaled(hydration[0]), scaled(hydration[1])],
    // However fast a scenario runs, a slow machine gets its time to press something.
    toolboxHideMs: fixed.toolboxHideMs ?? TOOLBOX_HIDE_MS,
  }
}
