/**
 * Turns: the rules that turn signals of the drivers into who spoke when (docs/transcription.md#who-spoke-when). Pure.
 *
 * - A pause shorter than `JOIN_TURNS_MS` is a breath inside a turn; at a longer one the turn ends where the pause
 *   began.
 * - No speech is too short to be reported; a single observation counts for `MIN_TURN_MS`.
 * - Each participant is judged alone: turns of different people may overlap, and none shortens another.
 * - A turn has the source and the confidence of its best signal.
 */
import type { MeetingEvent, SpeakerSource } from '../../packages/core/meeting/meeting.ts'

/** The drivers end a turn after as long a silence, see platforms/shared/page/audio/speech-detector.ts. */
const JOIN_TURNS_MS = 500
/** Sound is looked at so often. */
const MIN_TURN_MS = 100

export interface Turn {
  platformId: string
  /** UTC milliseconds. */
  startedAt: number
  /** Null while it continues. */
  endedAt: number | null
  source: SpeakerSource
  /** 0 to 1. */
  confidence: number
}

type Speaking = Extract<MeetingEvent, { type: 'speaking' }>

export class SpeechTurns {
  readonly #turns: Turn[] = []
  readonly #last = new Map<string, Turn>()

  /** In the order in which they began to be known. */
  all(): readonly Turn[] {
    return this.#turns
  }

  onSpeaking(event: Speaking): void {
    if (event.isSpeaking) {
      this.#start(event)
      return
    }
    const last = this.#last.get(event.participantId)
    // For a participant who left, this event arrives after the leaving and gives the real end of the speech.
    if (last && last.endedAt !== null && event.at < last.endedAt) last.endedAt = null
    this.stop(event.participantId, event.at, event)
  }

  /** A participant who left does not speak any more. */
  stop(platformId: string, at: number, signal?: Pick<Turn, 'source' | 'confidence'>): void {
    const turn = this.#last.get(platformId)
    if (turn?.endedAt !== null) return
    turn.endedAt = Math.max(at, turn.startedAt + MIN_TURN_MS)
    if (signal) follow(turn, signal)
  }

  /** Ends all open turns. */
  close(at: number): void {
    for (const id of this.#last.keys()) this.stop(id, at)
  }

  #start({ participantId: platformId, at, source, confidence }: Speaking): void {
    const last = this.#last.get(platformId)
    if (last && (last.endedAt === null || at - last.endedAt < JOIN_TURNS_MS)) {
      last.endedAt = null
      follow(last, { source, confidence })
      return
    }
    const turn = { platformId, startedAt: at, endedAt: null, source, confidence }
    this.#turns.push(turn)
    this.#last.set(platformId, turn)
  }
}

function follow(turn: Turn, { source, confidence }: Pick<Turn, 'source' | 'confidence'>): void {
  if (confidence > turn.confidence) Object.assign(turn, { source, confidence })
}
