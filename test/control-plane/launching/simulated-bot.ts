/**
 * A bot without a browser: it speaks the real control link, keeps the real journal, and behaves as its job's `extra`
 * says.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BotEvent } from '@standin/wire/events.ts'
import type { Job } from '@standin/wire/job.ts'
import type { EndEvidence } from '../../../control-plane/platform/ports.ts'
import type { Logger } from '../../../packages/core/logger.ts'
import { openControlLink } from '../../../src/control-link/client.ts'
import type { LinkTiming } from '../../../src/control-link/timing.ts'
import { fakeUsage } from '../../fakes/usage.ts'

export interface Plan {
  /** Milliseconds in the meeting; it leaves earlier when it is asked to. */
  meetingMs?: number
  /** Chat messages on the way. */
  chats?: number
  /** Whether each comes with words of a live transcript. */
  hasWords?: boolean
  /** Where the kernel kills it; absent: nowhere. `terminated`: its machine sends SIGTERM while it records. */
  dies?: 'before_joining' | 'waiting' | 'recording' | 'terminated' | 'before_report'
  /** Whether it is killed for lack of memory. */
  isOutOfMemory?: boolean
  /** Only the first attempts are killed. */
  deadAttempts?: number
  /** It hangs before its first event, until it is stopped. */
  isSilent?: boolean
  /** It is not let in. */
  isRefused?: boolean
  /** Attempts from this one on are not let in. */
  refusedFrom?: number
  /** How long it waits for its last acknowledgement. */
  drainMs?: number
  /** Requests to leave and signals do nothing. */
  isDeaf?: boolean
  /** It waits as long as a real bot does before it connects again. */
  reconnectsAsReal?: boolean
}

export interface SimulatedBot {
  readonly evidence: EndEvidence | null
  /** Times at which it asked to join, UTC milliseconds. */
  readonly joinRequests: number[]
  stop(): void
  kill(): Promise<void>
  /** Breaks of its link: UTC milliseconds of its end and of the next welcome. */
  readonly breaks: { downAt: number; upAt: number | null }[]
  /** Numbers of the events that it journaled. */
  readonly lastSeq: number
  /** The last ones of them that a full disk did not take. */
  readonly unwritten: number
}

const TIMING: Partial<LinkTiming> = {
  heartbeatMs: 1_000,
  acceptMs: 10_000,
}
const AT_ONCE: Partial<LinkTiming> = { reconnectMinMs: 20, reconnectMaxMs: 500 }
const silent: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent } as Logger
const DRAIN_MS = 5_000

/** Notes when the link breaks and when it is there again, and what the journal lacks at its end. */
function linkLogger(breaks: SimulatedBot['breaks'], onUnwritten: (count: number) => void): Logger {
  return {
    ...silent,
    error(message, fields) {
      if (message === 'The journal is not complete') onUnwritten(Number(fields?.unwritten))
    },
    warn(message) {
      if (message === 'The control link is down' && breaks.at(-1)?.upAt !== null)
        breaks.push({ downAt: Date.now(), upAt: null })
    },
    info(message) {
      const last = breaks.at(-1)
      if (message === 'The control link is up' && last?.upAt === null) last.upAt = Date.now()
    },
  }
}

class Killed extends Error {}

export function startSimulatedBot(job: Job, attempt: number): SimulatedBot {
  const plan = ((job.extra as { plan?: Plan } | null)?.plan ?? {}) as Plan
  if (job.storage.type !== 'folder' || !job.control_plane) throw new Error('A simulated bot needs a folder and a link')
  const folder = join(job.storage.path, job.bot_id)
  const life = new AbortController()
  const asked = new AbortController()
  const joinRequests: number[] = []
  const breaks: SimulatedBot['breaks'] = []
  let evidence: EndEvidence | null = null
  let lastSeq = 0
  let unwritten = 0
  const link = openControlLink({
    botId: job.bot_id,
    folder,
    logger: linkLogger(breaks, (count) => {
      unwritten = count
    }),
    url: job.control_plane.url,
    token: job.control_plane.token,
    timing: { ...TIMING, ...(!plan.reconnectsAsReal && AT_ONCE) },
    usage: fakeUsage({ cpuPercent: 20, memoryBytes: 300_000_000 }),
    onEvent: ({ seq }) => {
      lastSeq = seq
    },
  })
  link.onCommand(async (command) => {
    if (command.type === 'leave' && !plan.isDeaf) asked.abort()
    return { ok: true }
  })
  const say = (event: BotEvent) => {
    life.signal.throwIfAborted()
    link.report(event)
  }
  const rest = (ms: number) =>
    sleep(ms, undefined, { signal: AbortSignal.any([life.signal, asked.signal]) }).catch(() => {})
  const isDoomed = (place: Plan['dies']) =>
    plan.dies === place && attempt <= (plan.deadAttempts ?? Number.POSITIVE_INFINITY)
  const die = () => {
    throw new Killed()
  }

  async function live(): Promise<number> {
    if (isDoomed('before_joining')) die()
    if (plan.isSilent && attempt <= (plan.deadAttempts ?? Number.POSITIVE_INFINITY)) {
      await rest(3_600_000)
      die()
    }
    say({ type: 'status_change', status: 'joining_call' })
    const limit = sleep(job.wait_for_welcome_seconds * 1000, undefined, { signal: life.signal }).catch(() => {})
    await Promise.race([link.whenWelcomed(), limit, aborted(life.signal), aborted(asked.signal)])
    life.signal.throwIfAborted()
    if (asked.signal.aborted) return end('failed', 'EXITING_MEETING_BEFORE_RECORD')
    joinRequests.push(Date.now())
    say({ type: 'status_change', status: 'in_waiting_room' })
    if (isDoomed('waiting')) die()
    if (plan.isRefused || attempt >= (plan.refusedFrom ?? Number.POSITIVE_INFINITY))
      return end('failed', 'BOT_NOT_ACCEPTED')
    await rest(5)
    if (asked.signal.aborted) return end('failed', 'EXITING_MEETING_BEFORE_RECORD')
    say({ type: 'status_change', status: 'in_call_not_recording' })
    say({ type: 'status_change', status: 'in_call_recording', start_time: Date.now() / 1000 })
    const startedAt = Date.now()
    await writeFile(join(folder, 'video.mp4'), 'video', { mode: 0o600 })
    const chats = plan.chats ?? 3
    for (let n = 1; n <= chats && !asked.signal.aborted; n++) {
      await rest((plan.meetingMs ?? 200) / chats)
      say(chat(`message ${n}`, n))
      if (plan.hasWords) say(words(`message ${n}`, n))
      if (n === Math.ceil(chats / 2) && isDoomed('recording')) die()
      if (n === Math.ceil(chats / 2) && isDoomed('terminated')) return end('failed', 'SIGTERM', startedAt)
    }
    say({ type: 'recording_progress', seconds: (Date.now() - startedAt) / 1000, bytes: 5, dropped_frames: 0 })
    if (isDoomed('before_report')) die()
    return end('completed', asked.signal.aborted ? 'API_REQUEST' : 'BOT_REMOVED', startedAt)
  }

  function end(
    status: 'completed' | 'failed',
    code: 'API_REQUEST' | 'BOT_REMOVED' | 'BOT_NOT_ACCEPTED' | 'EXITING_MEETING_BEFORE_RECORD' | 'SIGTERM',
    startedAt?: number,
  ): number {
    const message = `The bot ended with ${code}.`
    const video = { name: 'video.mp4', location: join(folder, 'video.mp4'), bytes: 5, sha256: null, crc32: '00000000' }
    const error = status === 'failed' ? (code as 'BOT_NOT_ACCEPTED') : null
    if (startedAt !== undefined) say({ type: 'artifact', artifact: video })
    say({
      type: 'status_change',
      status,
      end_code: code,
      end_message: message,
      ...(error && { error_code: error, error_message: message }),
    })
    // A transcript of its part, as a real bot makes one.
    if (code === 'SIGTERM') say({ type: 'transcription_started', provider: 'Default', seconds: 1 })
    const now = new Date().toISOString()
    say({
      type: 'final_report',
      status,
      end_code: code,
      end_message: message,
      error_code: error,
      error_message: error && message,
      meeting_url: job.meeting_url,
      meeting_platform: 'meet',
      bot_name: job.bot_name,
      recording_mode: job.recording_mode,
      joined_at: startedAt === undefined ? null : new Date(startedAt).toISOString(),
      exited_at: now,
      recording_started_at: startedAt === undefined ? null : new Date(startedAt).toISOString(),
      duration_seconds: startedAt === undefined ? null : (Date.now() - startedAt) / 1000,
      participants: [],
      speakers: [],
      artifacts: startedAt === undefined ? [] : [video],
      location: folder,
      extra: job.extra as Record<string, never> | null,
    })
    if (code === 'SIGTERM') return 4
    return status === 'completed' || code === 'EXITING_MEETING_BEFORE_RECORD' ? 0 : 3
  }

  async function run(): Promise<void> {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const exitCode = await live()
      await Promise.race([link.drain(plan.drainMs ?? DRAIN_MS), aborted(life.signal)])
      life.signal.throwIfAborted()
      await link.close()
      evidence ??= evidenceOf({ exitCode, reason: `The bot ended with code ${exitCode}` })
    } catch {
      life.abort()
      await link.close()
      evidence ??= evidenceOf({
        signal: 'SIGKILL',
        isOutOfMemory: plan.isOutOfMemory ?? false,
        reason: 'The bot was killed',
      })
    }
  }
  void run()

  return {
    joinRequests,
    breaks,
    get evidence() {
      return evidence
    },
    get lastSeq() {
      return lastSeq
    },
    get unwritten() {
      return unwritten
    },
    stop() {
      if (!plan.isDeaf) asked.abort()
    },
    async kill() {
      life.abort()
      await link.close()
    },
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

function evidenceOf(values: Partial<EndEvidence>): EndEvidence {
  return {
    exitCode: null,
    signal: null,
    isOutOfMemory: false,
    reason: null,
    endedAt: new Date(),
    logTail: 'log',
    ...values,
  }
}

function words(text: string, number: number): BotEvent {
  const speaker = { id: 1, name: 'Ada', platform_id: 'p-1' }
  return { type: 'transcript', text, is_final: true, speaker, start: number, end: number + 1, language: 'en' }
}

function chat(text: string, number: number): BotEvent {
  return {
    type: 'chat_message',
    message_id: String(number),
    sender_id: 1,
    sender_name: 'Ada',
    timestamp: new Date().toISOString(),
    is_own: false,
    text,
  }
}
