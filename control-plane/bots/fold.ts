/**
 * Computes how the events of a bot change it. Pure, and the only place where a running bot's status moves. Events come
 * in the order of their journal, each once (`store/bots/events.ts`).
 */
import type { Artifact, BotEvent, FinalReport, NumberedEvent, Person } from '@standin/wire/events.ts'
import type { BotUsage } from '@standin/wire/usage.ts'
import type { BotPatch, BotRow } from '../store/rows/index.ts'
import { type BotChange, emptyChange } from './change.ts'
import { AFTER_REPORT_SECONDS, deadlineOf } from './deadlines.ts'
import { closing } from './ending.ts'
import { instant, optionalInstant } from './instants.ts'
import { messagesOfChat, messagesOfStatus } from './messages/index.ts'
import { partsOf } from './parts.ts'
import { withPeopleOfLaterAttempt, withPerson } from './people.ts'
import { type Happening, nextPhase } from './phases.ts'
import { requestOf } from './request.ts'
import { wasTerminated } from './resume.ts'
import { decides, isOver, NO_LEASE, withPatch } from './row.ts'

export interface JournaledEvents {
  attempt: number
  journalId: string
  events: readonly NumberedEvent[]
  /** When they are stored: for deadlines, and in place of times that cannot be believed. */
  now: Date
}

export interface Folded {
  change: BotChange
  /** Files of the attempt, also of one that does not decide. */
  artifacts: Artifact[]
  /** Resources of the process that wrote this journal, by its final report; null without one. */
  usage: BotUsage | null
}

/**
 * The changes that the events make to the bot. Events of an attempt that does not decide, and events of a closed bot,
 * change nothing: they are stored, their files are listed, and what they used counts.
 */
export function fold(bot: BotRow, { attempt, journalId, events, now }: JournaledEvents): Folded {
  const folding = new Folding(bot, attempt, journalId, now)
  for (const event of events) folding.add(event)
  return { change: folding.change, artifacts: [...folding.artifacts.values()], usage: folding.usage }
}

class Folding {
  readonly change: BotChange = emptyChange()
  readonly artifacts = new Map<string, Artifact>()
  usage: BotUsage | null = null
  #bot: BotRow
  readonly #attempt: number
  readonly #journalId: string
  readonly #now: Date

  constructor(bot: BotRow, attempt: number, journalId: string, now: Date) {
    this.#bot = bot
    this.#attempt = attempt
    this.#journalId = journalId
    this.#now = now
  }

  add({ seq, at: text, event }: NumberedEvent): void {
    for (const artifact of artifactsOf(event)) this.artifacts.set(artifact.name, artifact)
    if (event.type === 'final_report') this.usage = event.usage ?? this.usage
    if (isOver(this.#bot) || !decides(this.#bot, this.#attempt)) return
    const at = instant(text, this.#now)
    const sourceId = `${this.#journalId}:${seq}`
    switch (event.type) {
      case 'status_change':
        this.#status(event, at, sourceId)
        break
      case 'participant_joined':
      case 'participant_changed':
      case 'participant_left':
        this.#person('participants', event.participant)
        break
      case 'speaker':
        if (event.is_speaking) this.#person('speakers', event.participant)
        break
      case 'chat_message':
        this.change.messages.push(
          ...messagesOfChat(this.#bot, {
            messageId: event.message_id,
            senderName: event.sender_name,
            senderId: event.sender_id,
            text: event.text,
            isOwn: event.is_own,
            sourceId,
          }),
        )
        break
      case 'chat_availability':
        if (this.#bot.chat_is_available !== event.is_available) this.#patch({ chat_is_available: event.is_available })
        break
      case 'join_denied':
        this.#patch({ denials: this.#bot.denials + 1 })
        break
      case 'transcription_started':
        this.#transcribing(event, at, sourceId)
        break
      case 'final_report':
        this.#ended(event, at, sourceId)
        break
    }
  }

  #status(event: Extract<BotEvent, { type: 'status_change' }>, at: Date, sourceId: string): void {
    const { status } = event
    if (status === 'completed' || status === 'failed') {
      // Nothing public: the report follows. A bot that crashes before it is closed with this end.
      this.#patch({
        end_code: event.end_code ?? event.error_code ?? null,
        end_message: event.end_message ?? event.error_message ?? null,
      })
      return
    }
    const phase = this.#phaseAfter(status === 'joining_call' ? 'joining' : 'status')
    if (phase === null) return
    if (this.#bot.resuming_since !== null) {
      this.#onRejoin(status, phase, at)
      return
    }
    const isSame = status === this.#bot.status
    // A bot that continued in another attempt before it recorded sends `joined` once more.
    if (isSame && this.#bot.joined_attempt === this.#attempt) return
    const startTime = status === 'in_call_recording' ? event.start_time : undefined
    const startedAt = startTime === undefined ? at : instant(startTime * 1000, at)
    const { waiting_at, joined_at, recording_started_at } = this.#bot
    this.#enter(
      status,
      {
        phase,
        ...(status === 'joining_call' && this.#joining(at)),
        ...(status === 'in_waiting_room' && { waiting_at: waiting_at ?? at }),
        ...(status.startsWith('in_call') && { joined_at: joined_at ?? at }),
        ...(status === 'in_call_recording' && { recording_started_at: recording_started_at ?? startedAt }),
      },
      at,
    )
    const news = {
      code: status,
      at,
      sourceId,
      ...(startTime !== undefined && { startTime: startedAt.getTime() / 1000 }),
    }
    if (!isSame) this.change.messages.push(...messagesOfStatus(this.#bot, news))
  }

  #joining(at: Date): BotPatch {
    return { joined_attempt: this.#attempt, joining_at: at, ...NO_LEASE, wait_reason: null }
  }

  /**
   * A bot that recorded and was lost, until it records again. Its caller sees a recording that continues, as after a
   * restart of the browser alone: only the timeline shows the rejoin.
   */
  #onRejoin(status: string, phase: string, at: Date): void {
    const since = this.#bot.resuming_since!
    const isBack = status === 'in_call_recording'
    this.#patch({
      phase,
      ...(status === 'joining_call' && this.#joining(at)),
      ...(isBack && { resuming_since: null }),
    })
    this.#patch({ deadline_at: deadlineOf(this.#bot, this.#now) })
    const missing = Math.max(0, Math.round((at.getTime() - since.getTime()) / 100) / 10)
    this.change.steps.push(
      isBack
        ? {
            at,
            attempt: this.#attempt,
            kind: 'resumed',
            reason: backAfter(missing),
            evidence: { missing_seconds: missing },
          }
        : { at, attempt: this.#attempt, kind: 'status', reason: null, evidence: { status } },
    )
  }

  /** The meeting is over and the recording is stored; the bot sends no status for it. */
  #transcribing(event: Extract<BotEvent, { type: 'transcription_started' }>, at: Date, sourceId: string): void {
    const phase = this.#phaseAfter('transcribing')
    if (phase === null || this.#bot.status === 'transcribing') return
    // The transcript is of one part: another attempt goes back into the meeting.
    if (wasTerminated(this.#bot, this.#bot.end_code)) return
    this.#enter(
      'transcribing',
      {
        phase,
        exited_at: this.#bot.exited_at ?? at,
        transcription_status: 'processing',
        transcription_provider: event.provider,
      },
      at,
    )
    for (const code of ['call_ended', 'recording_succeeded', 'transcribing'])
      this.change.messages.push(...messagesOfStatus(this.#bot, { code, at, sourceId: `${sourceId}:${code}` }))
  }

  #ended(report: FinalReport, at: Date, sourceId: string): void {
    const facts = factsOf(report, this.#bot, this.#attempt)
    if (report.status === 'failed' && wasTerminated(this.#bot, report.end_code)) {
      // The reconciler decides, when the process is over: another attempt goes back into the meeting, or the bot is closed.
      const deadline = new Date(this.#now.getTime() + AFTER_REPORT_SECONDS * 1000)
      this.#patch({ ...facts, end_code: report.end_code, end_message: report.end_message, deadline_at: deadline })
      return
    }
    const { steps, messages, ledger, patch } = closing(
      this.#bot,
      'final_report',
      {
        status: report.status,
        code: report.end_code,
        message: report.end_message,
        errorCode: report.status === 'failed' ? (report.error_code ?? report.end_code) : null,
        errorMessage: report.status === 'failed' ? (report.error_message ?? report.end_message) : null,
        cause: report.end_cause,
        reason: report.reason,
        at,
        attempt: this.#attempt,
        sourceId,
      },
      facts,
    )
    this.#patch(patch)
    this.change.steps.push(...steps)
    this.change.messages.push(...messages)
    this.change.ledger.push(...ledger)
  }

  #person(column: 'participants' | 'speakers', person: Person): void {
    const people =
      partsOf(this.#bot).length > 0
        ? withPeopleOfLaterAttempt(this.#bot[column], [person], this.#bot.participants)
        : withPerson(this.#bot[column], person)
    if (people !== this.#bot[column]) this.#patch({ [column]: people })
  }

  #phaseAfter(happening: Happening) {
    return nextPhase(this.#bot.phase, happening)
  }

  #enter(status: string, patch: BotPatch, at: Date): void {
    this.#patch({ ...patch, status })
    // The clock of the bot may be off, and the deadline is compared with the database's.
    this.#patch({ deadline_at: deadlineOf(this.#bot, this.#now) })
    this.change.steps.push({ at, attempt: this.#attempt, kind: 'status', reason: null, evidence: { status } })
  }

  #patch(patch: BotPatch): void {
    Object.assign(this.change.patch, patch)
    this.#bot = withPatch(this.#bot, patch)
  }
}

function artifactsOf(event: BotEvent): Artifact[] {
  if (event.type === 'artifact') return [event.artifact]
  return event.type === 'final_report' ? event.artifacts : []
}

function backAfter(seconds: number): string {
  return `The bot is back in the meeting and records again. ${seconds} s of the meeting are missing in the recording.`
}

/** Columns for which the report is more exact than the events before it. */
function factsOf(report: FinalReport, bot: BotRow, attempt: number): BotPatch {
  const transcription = requestOf(bot).transcription
  const isLater = partsOf(bot).length > 0
  const reportedIds = report.transcription_ids ?? []
  const everyone = isLater ? withPeopleOfLaterAttempt(bot.participants, report.participants) : report.participants
  return {
    joined_attempt: attempt,
    joined_at: first(isLater, bot.joined_at, optionalInstant(report.joined_at)),
    exited_at: optionalInstant(report.exited_at) ?? bot.exited_at,
    recording_started_at: first(isLater, bot.recording_started_at, optionalInstant(report.recording_started_at)),
    duration_seconds: report.duration_seconds,
    participants: everyone,
    speakers: isLater ? withPeopleOfLaterAttempt(bot.speakers, report.speakers, everyone) : report.speakers,
    report,
    transcribed_seconds: sum(isLater && bot.transcribed_seconds, report.transcribed_seconds),
    transcription_ids: [...new Set([...(isLater ? (bot.transcription_ids as string[]) : []), ...reportedIds])],
    streaming_input_seconds: sum(isLater && bot.streaming_input_seconds, report.streaming?.input_seconds),
    streaming_output_seconds: sum(isLater && bot.streaming_output_seconds, report.streaming?.output_seconds),
    ...(transcription && {
      transcription_provider: bot.transcription_provider ?? transcription.provider,
    }),
  }
}

/** Each attempt reports what it used itself. */
function sum(earlier: number | null | false, reported: number | null | undefined): number | null {
  return typeof earlier === 'number' ? earlier + (reported ?? 0) : (reported ?? null)
}

/** The time from an earlier attempt stays; without one, the time in the report is the best known. */
function first(isLater: boolean, known: Date | null, reported: Date | null): Date | null {
  return isLater ? (known ?? reported) : (reported ?? known)
}
