/**
 * Compares what the bot knows of speech with what it records: speech without sound is put right where it can be, marked as
 * a gap, and said. The file has silence there.
 */
import { messageOf } from '@standin/wire/text/error-text.ts'
import type { Logger } from '../../packages/core/logger.ts'
import type { MeetingEvent } from '../../packages/core/meeting/meeting.ts'
import type { Clock, ControlPlane, LiveTranscript } from '../../packages/core/ports.ts'
import type { Recorder, RecorderEvent } from '../../packages/core/recording.ts'
import type { MeetingSession } from './meeting-session.ts'
import type { RecordingGap } from './pause-control.ts'
import type { Timeline } from './timeline.ts'
import { UnheardSpeech } from './unheard-speech.ts'

/** So much speech without sound is no whisper and no mark that errs. Milliseconds. */
const UNHEARD_MS = 3_000
/** Where something was put right that explains it, less is enough. */
const EXPLAINED_MS = 500
/** If a person spoke for so long without a sound of their own, the platform does not give it apart. Milliseconds. */
const VOICELESS_MS = 8_000
/** Less is enough where separate voices came before and none comes any more. Milliseconds. */
const ALL_VOICELESS_MS = 4_000
/** The recorder reports silence within this, and speech is reported within this. Milliseconds. */
const REPORTED_LATE_MS = 5_000
/** The way through the sound server is looked at so often, and at once when speech is not heard. */
const LOOK_EVERY_MS = 5_000
/** A sound server that hangs must not hold up the watch. */
const RESTORE_DEADLINE_MS = 3_000

export interface SoundWatchParts {
  recorder: Pick<Recorder, 'restoreSound'>
  meeting: Pick<MeetingSession, 'restoreSound'>
  control: Pick<ControlPlane, 'report'>
  liveTranscript: LiveTranscript | null
  /** Whether voices are wanted apart. */
  wantsVoices: boolean
  clock: Clock
  logger: Pick<Logger, 'warn' | 'debug'>
  timeline: Pick<Timeline, 'person' | 'offset'>
  onGap(gap: RecordingGap): void
  signal: AbortSignal
}

export class SoundWatch {
  readonly #parts: SoundWatchParts
  readonly #speech = new UnheardSpeech()
  /** By each person's own sound. */
  readonly #voiceless = new UnheardSpeech()
  readonly #lacking = new Set<string>()
  /** The end of the last voice that came apart; null before any. */
  #voicedUntil: number | null = null
  /** What the recorder last said. */
  #isAudible: boolean | null = null
  /** Null while the recording is audible, and before anything is known of it. */
  #silentSince: number | null = null
  /** Since when speech is missing. */
  #missingSince: number | null = null
  /** What was put right, with the instants. */
  #causes: { cause: string; at: number }[] = []
  #lookedAt = Number.NEGATIVE_INFINITY

  constructor(parts: SoundWatchParts) {
    this.#parts = parts
  }

  onMeeting(event: MeetingEvent): void {
    if (event.type === 'speaking') {
      for (const speech of [this.#speech, this.#voiceless])
        speech.speak(event.participantId, event.isSpeaking, event.at)
    } else if (event.type === 'participant_left') {
      for (const speech of [this.#speech, this.#voiceless]) speech.speak(event.participantId, false, event.at)
    } else if (event.type === 'connection' || event.type === 'new_document') this.breakOff(event.at)
  }

  onRecorder(event: RecorderEvent): void {
    if (event.type !== 'sound') return
    this.#isAudible = event.isAudible
    if (!event.isAudible) {
      this.#silentSince ??= event.at
      return
    }
    this.#settle(event.at)
    this.#silentSince = null
    this.#speech.heard(event.at)
  }

  /** A packet of this person's own sound came. */
  onVoice(participantId: string, at: number): void {
    this.#voicedUntil = Math.max(this.#voicedUntil ?? 0, at)
    this.#voiceless.heard(at, participantId)
  }

  /** Nothing is recorded or seen any more: a pause, a lost connection, another browser, the end. */
  breakOff(at: number): void {
    this.#settle(at)
    this.#silentSince = null
    this.#speech.forget()
    this.#voiceless.forget()
  }

  /** To be called about once a second while the meeting is recorded. Never rejects. */
  async look(): Promise<void> {
    const { clock, control, logger } = this.#parts
    const now = clock.now()
    this.#lookForVoices(now)
    // The recorder reports changes only, and silence late.
    if (this.#isAudible === false) this.#silentSince ??= now
    if (this.#silentSince === null) this.#speech.heard(now - REPORTED_LATE_MS)
    const unheard = this.#unheard(now)
    if (this.#missingSince === null && unheard !== null && unheard.ms >= UNHEARD_MS) {
      this.#missingSince = unheard.at
      this.#lookedAt = Number.NEGATIVE_INFINITY
      logger.warn('People speak, and no sound is recorded', { since: new Date(unheard.at).toISOString() })
      this.#notice('People speak, but no sound of them is recorded. The bot looks for the cause.')
    }
    if (now - this.#lookedAt < LOOK_EVERY_MS) return
    this.#lookedAt = now
    const signal = AbortSignal.any([this.#parts.signal, AbortSignal.timeout(RESTORE_DEADLINE_MS)])
    const restored = await this.#restored('the sound server', () => this.#parts.recorder.restoreSound(signal))
    if (this.#missingSince !== null)
      restored.push(...(await this.#restored('the page', () => this.#parts.meeting.restoreSound())))
    this.#causes.push(...restored.map((cause) => ({ cause, at: now })))
    if (restored.length > 0)
      control.report({
        ...{ type: 'notice', level: 'warning' },
        message: `The sound of the meeting was put right: ${restored.join(', ')}.`,
      })
  }

  #unheard(now: number): { at: number; ms: number } | null {
    return this.#silentSince === null ? null : this.#speech.since(this.#silentSince, now)
  }

  async #restored(where: string, restore: () => Promise<string[]>): Promise<string[]> {
    return restore().catch((error) => {
      this.#parts.logger.debug('The sound could not be put right', { where, reason: messageOf(error) })
      return []
    })
  }

  /** The silence ended at `at`: what was said in it is missing. */
  #settle(at: number): void {
    const unheard = this.#unheard(at)
    const silentSince = this.#silentSince ?? at
    const causes = new Set(this.#causes.filter((known) => known.at >= silentSince).map(({ cause }) => cause))
    const isMissing = this.#missingSince !== null || (causes.size > 0 && (unheard?.ms ?? 0) >= EXPLAINED_MS)
    const from = this.#missingSince ?? unheard?.at ?? at
    if (isMissing && at > from) {
      const gap = {
        startedAt: from,
        endedAt: at,
        offset: this.#parts.timeline.offset(from) ?? 0,
        reason: 'sound_lost' as const,
      }
      this.#parts.onGap(gap)
      const because = causes.size > 0 ? ` (${[...causes].join(', ')})` : ''
      this.#notice(`${((at - from) / 1000).toFixed(1)} s of the recording are silent although people spoke${because}.`)
    }
    this.#missingSince = null
    this.#causes = []
  }

  #lookForVoices(now: number): void {
    const { wantsVoices, liveTranscript, timeline } = this.#parts
    if (!wantsVoices) return
    const ofAll = this.#voicedUntil === null ? null : this.#voiceless.since(this.#voicedUntil, now)
    if (ofAll !== null && ofAll.ms >= ALL_VOICELESS_MS) liveTranscript?.hearMixed(ofAll.at)
    for (const id of this.#voiceless.people()) {
      if (this.#lacking.has(id)) this.#voiceless.heard(now, id)
      const unheard = this.#voiceless.since(0, now, id)
      if (unheard === null || unheard.ms < VOICELESS_MS) continue
      this.#lacking.add(id)
      liveTranscript?.hearMixed(unheard.at)
      // Where no voice comes apart at all, the end says so.
      if (this.#voicedUntil === null) continue
      const second = Math.round(timeline.offset(unheard.at) ?? 0)
      this.#notice(
        `The page mixes the sound of ${timeline.person(id).name} into that of others from second ${second} on: separate tracks lack it, the recording has it.`,
      )
    }
  }

  #notice(message: string): void {
    this.#parts.control.report({ type: 'notice', level: 'warning', message })
  }
}
