/**
 * The right to record: asked for before the recording, watched while it runs. Zoom requires that an app which captures
 * a meeting holds it, so that people are notified (docs/platform-notes/zoom.md#recording-permission). The recording
 * itself comes from the screen and the sound server; the SDK's own capture is what shows it to the participants.
 */

import type { ErrorCode } from '@standin/wire/codes.ts'
import { BotError } from '../../../packages/core/errors.ts'
import type { Clock } from '../../../packages/core/ports.ts'
import type { SdkAnswer, SdkFacts } from './page/types.ts'

/**
 * docs/platform-notes/zoom.md#recording-permission-outcomes and #timing: 30 to 60 s to start; a request expires after
 * 10 s for some hosts, and the rest is unknown.
 */
export const RIGHT_WAITS = {
  /** Time from the start of the SDK's capture to its report that it runs. Milliseconds, like all of these. */
  captureStartMs: 45_000,
  /** A request without an answer expires; the bot asks again after this. */
  askAgainMs: 60_000,
  /** Without a host the request cannot be sent; interval of the checks whether a host has come. */
  noHostMs: 3000,
}

export type RightWaits = Readonly<typeof RIGHT_WAITS>

const POLL_EVERY_MS = 250
const STARTED = 1
const STEP = 'right to record'

/** Meaning of a refusal of `mediaCapture` or `mediaCapturePermission`. Zoom's own typing errors are kept. */
type RightAnswer = 'have' | 'must_ask' | 'no_host' | 'unclear' | RightRefusal
type RightRefusal = Extract<
  ErrorCode,
  'RECORDING_RIGHTS_NOT_GRANTED' | 'CANNOT_REQUEST_RECORDING_RIGHT' | 'HOST_CLIENT_CANNOT_GRANT_PERMISSION'
>

const ANSWERS: readonly [RegExp, RightAnswer][] = [
  [/already have local record permission/i, 'have'],
  [/^no local record permission/i, 'must_ask'],
  [/host deny all request/i, 'RECORDING_RIGHTS_NOT_GRANTED'],
  [/not support grant local record perm/i, 'HOST_CLIENT_CANNOT_GRANT_PERMISSION'],
  [/not enable local record/i, 'CANNOT_REQUEST_RECORDING_RIGHT'],
  [/hosts can not give participants permission/i, 'CANNOT_REQUEST_RECORDING_RIGHT'],
  [/disable send request for local recording/i, 'CANNOT_REQUEST_RECORDING_RIGHT'],
  [/webinar attendee not support/i, 'CANNOT_REQUEST_RECORDING_RIGHT'],
  [/local record is not allowed in bo/i, 'CANNOT_REQUEST_RECORDING_RIGHT'],
  // The SDK reads the abilities of the host's client, and fails if there is no host.
  [/reading 'caps'|'caps' of undefined/i, 'no_host'],
]

const SENTENCES: Readonly<Record<RightRefusal, string>> = {
  RECORDING_RIGHTS_NOT_GRANTED: 'The host did not allow the bot to record',
  CANNOT_REQUEST_RECORDING_RIGHT: 'The meeting does not let the bot ask for the right to record',
  HOST_CLIENT_CANNOT_GRANT_PERMISSION: "The host's client cannot answer a request to record",
}

function rightAnswer(text: string): RightAnswer {
  return ANSWERS.find(([wording]) => wording.test(text))?.[1] ?? 'unclear'
}

/** Functions of the page that a request for the right needs. */
export interface RecordingPermission {
  clock: Clock
  waits: RightWaits
  /** Null while the page does not answer. */
  facts(): Promise<Pick<SdkFacts, 'capture' | 'hasHost'> | null>
  startCapture(): Promise<SdkAnswer>
  request(): Promise<SdkAnswer>
}

/** Resolves when the SDK reports that the bot's capture runs; rejects with the error code of any other outcome. */
export async function obtainRight(
  permission: RecordingPermission,
  limitMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { clock, waits } = permission
  const until = clock.now() + limitMs
  let sawHost = false
  while (clock.now() < until) {
    const start = await permission.startCapture()
    signal.throwIfAborted()
    if (start.ok) return captureRuns(permission, signal)
    if (isRefusal(rightAnswer(start.text))) throw refused(rightAnswer(start.text) as RightRefusal, start.text)

    const before = await permission.facts()
    sawHost ||= before?.hasHost ?? false
    const request = await permission.request()
    signal.throwIfAborted()
    const answer = request.ok ? 'must_ask' : rightAnswer(request.text)
    if (!request.ok && isRefusal(answer)) throw refused(answer as RightRefusal, request.text)
    const patienceMs = request.ok ? waits.askAgainMs : waits.noHostMs
    const heard = await hostAnswer(
      permission,
      before?.capture.answers ?? 0,
      Math.min(until, clock.now() + patienceMs),
      signal,
    )
    sawHost ||= heard.hasHost
    if (heard.allowed === false) throw refused('RECORDING_RIGHTS_NOT_GRANTED', 'the request was denied')
  }
  if (sawHost) throw refused('RECORDING_RIGHTS_NOT_GRANTED', 'the request was not answered in time')
  throw new BotError('WAITING_FOR_HOST_TIMEOUT', 'No host came who could allow the bot to record.', { step: STEP })
}

/** Resolves with an answer, with a host who has just come and has to be asked, or when the time is over. */
async function hostAnswer(
  { clock, facts }: RecordingPermission,
  answersBefore: number,
  until: number,
  signal: AbortSignal,
): Promise<{ allowed: boolean | null; hasHost: boolean }> {
  let hadHost: boolean | null = null
  for (;;) {
    const now = await facts()
    if (now && now.capture.answers > answersBefore) return { allowed: now.capture.allowed, hasHost: true }
    if (now?.hasHost && hadHost === false) return { allowed: null, hasHost: true }
    hadHost = now?.hasHost ?? hadHost
    if (clock.now() >= until) return { allowed: null, hasHost: hadHost ?? false }
    await clock.sleep(POLL_EVERY_MS, signal)
  }
}

async function captureRuns({ clock, facts, waits }: RecordingPermission, signal: AbortSignal): Promise<void> {
  const until = clock.now() + waits.captureStartMs
  while ((await facts())?.capture.status !== STARTED) {
    if (clock.now() >= until)
      throw new BotError(
        'RECORDING_START_TIMEOUT',
        'Zoom allowed the recording but did not confirm in time that it began.',
        { step: STEP },
      )
    await clock.sleep(POLL_EVERY_MS, signal)
  }
}

/** Throws if the host withdrew the right: the recording until then is kept, and no more is recorded. */
export function mustStillBeAllowed({ capture }: Pick<SdkFacts, 'capture'>): void {
  if (capture.allowed === false) throw refused('RECORDING_RIGHTS_NOT_GRANTED', 'the right was taken back')
}

function isRefusal(answer: RightAnswer): boolean {
  return Object.hasOwn(SENTENCES, answer)
}

function refused(code: RightRefusal, detail: string): BotError {
  return new BotError(code, `${SENTENCES[code]} (${detail.slice(0, 200)}).`, { step: STEP })
}
