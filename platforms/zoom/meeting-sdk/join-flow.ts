/**
 * One attempt to join a meeting through the SDK: its page, its tokens, its calls of `join`. While the authorizing user
 * is missing, or a host whom the SDK names by numbers only, the bot waits by a series of complete joins
 * (docs/platform-notes/zoom.md#how-sdk-failures-are-reported): it reloads the page, with a fresh signature and a fresh
 * token.
 */

import type { ConfCredentials } from '../../../packages/core/conf-credentials.ts'
import { BotError } from '../../../packages/core/errors.ts'
import type { MeetingTarget } from '../../../packages/core/meeting/meeting.ts'
import { loadMeeting } from '../../shared/join/loading.ts'
import type { MeetingPage } from '../../shared/page-access/meeting-page.ts'
import { nameForZoom } from '../bot-name.ts'
import type { ElementName } from '../page/types.ts'
import type { JoinedWith } from './failures.ts'
import type { SdkPageApi, SdkSnapshot } from './page/types.ts'
import type { SdkPage } from './page-server.ts'
import type { SdkPageState } from './page-state.ts'
import type { Secrets } from './secrets.ts'
import { makeSignature } from './signature.ts'
import { type FetchToken, getTokens } from './tokens.ts'

export type SdkMeetingPage = MeetingPage<SdkSnapshot, ElementName, SdkPageApi>

/** docs/platform-notes/zoom.md#timing: 5 s for the user, 15 s for a page that says "not started". */
export const JOIN_FLOW_WAITS = {
  /** Interval between two joins while the authorizing user is missing. Milliseconds, like all of these. */
  userAgainMs: 5000,
  /** The same while the host has not begun. The SDK lets a page join once in 10 s; a reload starts this limit again. */
  hostAgainMs: 15_000,
}

export type JoinFlowWaits = Readonly<typeof JOIN_FLOW_WAITS>

export interface JoinFlowParts {
  page: SdkMeetingPage
  served: SdkPage
  target: MeetingTarget
  botName: string
  conf: ConfCredentials
  secrets: Secrets
  waits: JoinFlowWaits
  view: 'gallery' | 'speaker'
  /** Default: fetches from the public internet, with checks and limits. */
  fetchToken?: FetchToken
}

export class JoinFlow {
  readonly #parts: JoinFlowParts
  #signal: AbortSignal = new AbortController().signal
  #hasAsked = false
  /** The kind of the missing person, and since when. */
  #missing: { kind: string; since: number } | null = null

  constructor(parts: JoinFlowParts) {
    this.#parts = parts
  }

  get joinedWith(): JoinedWith {
    const { conf } = this.#parts
    return conf.onBehalfToken ? 'obf' : conf.accessKey ? 'zak' : 'nothing'
  }

  /** A token that is not written in the job is another one the next time. */
  get canAskAgain(): boolean {
    const { onBehalfToken, accessKey } = this.#parts.conf
    const origin = onBehalfToken ?? accessKey
    return origin !== null && !('value' in origin)
  }

  hasAsked(): boolean {
    return this.#hasAsked
  }

  async open(signal: AbortSignal): Promise<void> {
    this.#signal = signal
    const { page, served, target, conf, secrets } = this.#parts
    secrets.keep(conf.sdkSecret, passcodeOf(target), registrantOf(target))
    // A meeting that the bot cannot sign for needs no page.
    mustBeCommercial(target)
    this.#signature()
    await loadMeeting(page, served.url, signal, 'Zoom')
  }

  /** The page has loaded the SDK: starts it, then joins. */
  async ask(snapshot: SdkSnapshot, { kind }: Pick<SdkPageState, 'kind'>): Promise<void> {
    const { page, served, view } = this.#parts
    const mayAsk = page.gate.isOpen
    if (kind === 'preview') {
      if (mayAsk) await page.press('join')
    } else if (snapshot.sdk.progress === 'ready')
      await page.ask('startSdk', { base: served.sdkBase, leaveUrl: served.leaveUrl, view })
    else if (snapshot.sdk.progress === 'initialized' && mayAsk) await this.#join()
  }

  /** In the waiting room: only if the user or the host is missing, the bot asks again after a while. */
  async wait(snapshot: SdkSnapshot, state: SdkPageState): Promise<void> {
    const { page, served, waits } = this.#parts
    const { kind } = state
    if (kind === 'sdk_ready' || kind === 'preview') return this.ask(snapshot, state)
    if (kind !== 'user_not_there' && kind !== 'host_not_there') {
      this.#missing = null
      return
    }
    const now = page.clock.now()
    if (this.#missing?.kind !== kind) this.#missing = { kind, since: now }
    if (now - this.#missing.since < (kind === 'user_not_there' ? waits.userAgainMs : waits.hostAgainMs)) return
    this.#missing = null
    page.logger.info('Who is missing may have come; joining again', { missing: kind })
    await loadMeeting(page, served.url, this.#signal, 'Zoom')
  }

  async #join(): Promise<void> {
    const { page, target, botName, conf, secrets, fetchToken } = this.#parts
    // The token comes first: it may take a while, and the signature is valid from its creation.
    const tokens = await unlessStopped(this.#signal, getTokens(conf, fetchToken))
    const signature = this.#signature()
    secrets.keep(signature, ...Object.values(tokens))
    const tk = registrantOf(target)
    this.#hasAsked = true
    await page.ask('joinMeeting', {
      meetingNumber: target.meetingId,
      userName: nameForZoom(botName),
      passWord: passcodeOf(target) ?? '',
      signature,
      tk: tk ?? undefined,
      ...tokens,
    })
  }

  #signature(): string {
    const { target, conf, page } = this.#parts
    const { sdkId, sdkSecret } = conf
    if (!/^\d+$/.test(target.meetingId))
      throw new BotError(
        'INVALID_MEETING_URL',
        'The Meeting SDK joins by number only; give the link with the meeting number instead of a personal name.',
        { step: 'signature' },
      )
    return makeSignature({ sdkId, sdkSecret, meetingNumber: target.meetingId, now: page.clock.now() })
  }
}

/**
 * The government's Zoom has other hosts, other apps and a separate package
 * (docs/platform-notes/zoom.md#loading-the-sdk).
 */
export function mustBeCommercial({ url }: Pick<MeetingTarget, 'url'>): void {
  if (!/(?:^|\.)zoomgov\.com$/.test(new URL(url).hostname)) return
  throw new BotError(
    'UNABLE_JOIN_EXTERNAL_MEETING',
    'Meetings of Zoom for Government cannot be joined through the Meeting SDK of the commercial Zoom.',
    { step: 'signature' },
  )
}

function passcodeOf({ url, passcode }: MeetingTarget): string | null {
  return new URL(url).searchParams.get('pwd') ?? passcode ?? null
}

/** The personal token of a registered participant. */
function registrantOf({ url }: MeetingTarget): string | null {
  return new URL(url).searchParams.get('tk')
}

/** A stop does not wait for a slow address. */
function unlessStopped<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
