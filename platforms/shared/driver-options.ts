import type { StorageState } from '@standin/wire/account-session.ts'
import type { RecordingMode } from '@standin/wire/codes.ts'
import type { Egress } from '@standin/wire/egress.ts'
import type { ConfCredentials } from '../../packages/core/conf-credentials.ts'
import type { Logger } from '../../packages/core/logger.ts'
import type { MeetingTarget } from '../../packages/core/meeting/meeting.ts'
import type { FetchLimits } from '../../packages/core/network/safe-fetch.ts'
import type { AudioTap, CaptureEnvironment, Clock, MeetingDriver } from '../../packages/core/ports.ts'
import type { BrowserState, MappedHost, OpenBrowser } from '../browser/browser.ts'
import type { Playout } from './page/types.ts'
import type { Waits } from './waits.ts'

/** Starts the browser in the capture environment. Rejects with a BotError when it does not start. */
export type OpenDriver<Options = DriverOptions> = (
  target: MeetingTarget,
  environment: CaptureEnvironment,
  signal: AbortSignal,
  options: Options,
) => Promise<MeetingDriver>

/** The account behind the session of the browser, or one that may follow. */
interface AccountUse {
  /**
   * The page asks for a sign-in: it refuses guests, or the session is signed out. True: another attempt comes with another
   * session.
   */
  onLoginRequired(text: string): boolean
  /** The browser's cookies after the join and at the end. Never rejects. */
  onRefreshed(cookies: StorageState['cookies']): Promise<void>
}

/** Options of every platform's driver. */
export interface DriverOptions {
  botName: string
  /**
   * Data: URLs of the bot's picture, the first one for the start; null is a picture that cannot be shown. Without any,
   * the camera stays off.
   */
  botImages: readonly (string | null)[]
  recordingMode: RecordingMode
  /** Default `even`; `live` where a program listens to the meeting through the bot. */
  playout?: Playout
  /**
   * Receives the meeting's audio inside its page, before the machine's sound system does. Default: no audio is read in
   * the page.
   */
  audioTap?: AudioTap | null
  /** The bot talks with people: its microphone delays little, and `voice` events are reported. Default: it does not. */
  talks?: boolean
  /** Turns on the platform's own captions, and reports their text. */
  captions?: boolean
  /** The answer when the meeting asks whether the bot agrees to be recorded itself. */
  recordingConsent: 'accept' | 'refuse'
  hostMap: readonly MappedHost[]
  /** The browser's binary; null for Debian's. */
  chromium: string | null
  browserPlugins: readonly string[]
  /** The meeting's page may reach private addresses too. Default: it may not. */
  mayReachPrivate?: boolean
  /**
   * The bot may show pages of its caller; says whether the operator permits the host of an address even if it is private or without
   * TLS. Default: it shows none.
   */
  mayShow?: (address: string) => boolean
  /** Default: a separate Chromium for the bot. Tests share one browser and give each bot its own context. */
  openBrowser?: OpenBrowser
  logger: Logger
  clock?: Clock
  /** For a platform that is joined through its SDK; the others do not use it. */
  conf?: ConfCredentials | null
  /** The token by which a registered bot identifies itself to Microsoft Teams; resolves with null if there is none. */
  teamsToken?: (() => Promise<string | null>) | null
  /** Gets a token from an address of `conf`. Default: public addresses only. */
  fetchToken?: (address: string, limits: FetchLimits) => Promise<Uint8Array>
  /** Shorter waits for tests; those of the real page are the default. */
  waits?: Partial<Waits>
  /** The proxy of the browser. */
  egress?: Egress | null
  /** The stored session of an account; null for a guest. */
  browserState?: BrowserState | null
  /** Absent: the session is not followed. */
  account?: AccountUse
  /** The browser carries an account's session. Default: where a stored one is given. */
  expectsAccount?: boolean
  extraArguments?: readonly string[]
  /** Bytes that the browser received and sent since the last call. Default: they are not counted. */
  onTraffic?: (received: number, sent: number) => void
  /** Default off. On is for a bot that plays sound into the meeting; it is silent while nothing is played. */
  microphone?: 'on' | 'off'
}
