/**
 * Who speaks in one sound of everybody, where all that names people is a mark that stays for a while after the last word.
 * A mark that goes says when its person fell silent: so much earlier as marks stay. While one person alone is marked, the
 * sound is that person's at once; while several are, each turn is kept open until its mark has gone and is then dated
 * back. Pure.
 */
import { LEVEL_OFF, type LevelSample, SILENCE_MS } from '../../shared/page/speech-detector.ts'
import { LONGEST_LINGER_MS, MarkLinger } from './mark-linger.ts'
import { LONGEST_NAMELESS_MS, MARK_AHEAD_MS, type MixRun, MixRuns, NO_NEW_MARK_MS } from './sound-owners.ts'
import { type Mark, newestMarks } from './speakers.ts'

/** A mark that takes another one's place is believed at the second look, this much after it at most. Milliseconds. */
const NEXT_LOOK_MS = 300
/** Who was marked before a sound began has a part in it when the mark outlasts its beginning by more than chance. */
const PROOF_MS = 400

interface Turn {
  /** The last instant at which this person surely spoke. */
  knownUntil: number
  /** Somebody else was marked too, so that sound alone does not prolong it. */
  isShared: boolean
  /** When the mark was missed first; null while it stands. */
  goneAt: number | null
}

export class MarkedSound {
  readonly #linger = new MarkLinger()
  readonly #turns = new Map<string, Turn>()
  /** Turns that are over and not yet told as ended, until when. */
  readonly #closing = new Map<string, number>()
  #loudAt: number[] = []
  readonly #mix = new MixRuns()
  #run: MixRun | null = null

  /** One round, a few times a second also while nothing is heard. */
  round(level: number, marks: readonly Mark[], at: number): LevelSample[] {
    const isLoud = level >= LEVEL_OFF
    this.#linger.look(marks, isLoud, at)
    const lastLoudAt = this.#run?.lastLoudAt
    const run = this.#mix.round(isLoud, at)
    // While the page stood still the sound went on.
    if (isLoud && run === this.#run && lastLoudAt !== undefined)
      for (let missed = lastLoudAt + SILENCE_MS; missed < at; missed += SILENCE_MS) this.#loudAt.push(missed)
    if (isLoud) this.#loudAt.push(at)
    this.#run = run
    this.#loudAt = this.#loudAt.filter((loudAt) => at - loudAt <= LONGEST_LINGER_MS + SILENCE_MS)
    for (const [id, until] of this.#closing) if (at > until) this.#closing.delete(id)

    const ended = this.#endUnmarked(marks, at)
    const fresh = this.#freshOf(marks)
    const samples = marks.flatMap((mark) => {
      if (this.#closing.has(mark.id)) return []
      const turn = this.#turns.get(mark.id)
      const sample = turn
        ? this.#prolong(mark, turn, { isAlone: marks.length === 1, isLoud, at })
        : this.#begin(mark, { isFresh: fresh.includes(mark), isLoud, at })
      return sample ? [sample] : []
    })
    return [...ended, ...samples]
  }

  forget(id: string): void {
    this.#turns.delete(id)
  }

  /** The marks that are for this sound: new ones, and after a while without any those that still stand. */
  #freshOf(marks: readonly Mark[]): readonly Mark[] {
    const run = this.#run
    if (!run) return []
    const fresh = marks.filter(({ since }) => since >= run.beganAt - MARK_AHEAD_MS)
    if (fresh.length > 0 || run.named.size > 0 || run.lastLoudAt - run.beganAt < NO_NEW_MARK_MS) return fresh
    return newestMarks(marks)
  }

  #begin({ id, since }: Mark, { isFresh, isLoud, at }: { isFresh: boolean; isLoud: boolean; at: number }) {
    const run = this.#run
    if (!run) return null
    if (isFresh && isLoud) {
      // Whoever comes second in one sound began about when the mark came.
      const heardForMs = run.named.size > 0 ? Math.min(at - run.beganAt, Math.max(0, at - since)) : at - run.beganAt
      run.named.add(id)
      this.#turns.set(id, { knownUntil: at, isShared: false, goneAt: null })
      return sampleOf(id, { heardForMs })
    }
    const spokeAt = this.#lastLoudBefore(at - this.#linger.ms)
    if (isFresh || spokeAt === null || spokeAt < run.beganAt + PROOF_MS) return null
    run.named.add(id)
    this.#turns.set(id, { knownUntil: spokeAt, isShared: true, goneAt: null })
    return sampleOf(id, { heardForMs: spokeAt - run.beganAt, ageMs: at - spokeAt, staysOpen: true })
  }

  #prolong({ id }: Mark, turn: Turn, { isAlone, isLoud, at }: { isAlone: boolean; isLoud: boolean; at: number }) {
    turn.goneAt = null
    if (isAlone && isLoud) turn.isShared = false
    else if (!isAlone) turn.isShared = true
    if (!turn.isShared) {
      if (isLoud) turn.knownUntil = at
      else if (this.#run === null) this.#turns.delete(id)
      return isLoud ? sampleOf(id) : null
    }
    const spokeAt = this.#lastLoudBefore(at - this.#linger.ms)
    if (spokeAt !== null && spokeAt > turn.knownUntil) {
      if (this.#wasSilentBetween(turn.knownUntil, spokeAt)) {
        this.#close(id, at)
        return null
      }
      turn.knownUntil = spokeAt
    }
    return sampleOf(id, { ageMs: at - turn.knownUntil, staysOpen: true })
  }

  /**
   * Whose mark has gone fell silent before that, for as long as marks stay. Where the mark went because somebody else
   * began, nobody knows when in that time it was, and the sound is counted as of everybody who was marked.
   */
  #endUnmarked(marks: readonly Mark[], at: number): LevelSample[] {
    return [...this.#turns].flatMap(([id, turn]) => {
      if (marks.some((mark) => mark.id === id)) return []
      const goneAt = turn.goneAt ?? at
      turn.goneAt = goneAt
      if (at - goneAt < NEXT_LOOK_MS) return [sampleOf(id, { ageMs: at - turn.knownUntil, staysOpen: true })]
      this.#close(id, at)
      const isReplaced = marks.some(({ since }) => since >= goneAt - NEXT_LOOK_MS)
      const spokeAt = this.#lastLoudBefore(isReplaced ? goneAt : goneAt - this.#linger.ms)
      if (!turn.isShared || spokeAt === null || spokeAt <= turn.knownUntil) return []
      if (this.#wasSilentBetween(turn.knownUntil, spokeAt)) return []
      return [sampleOf(id, { ageMs: at - spokeAt })]
    })
  }

  #close(id: string, at: number): void {
    this.#turns.delete(id)
    this.#closing.set(id, at + SILENCE_MS + 200)
  }

  #lastLoudBefore(at: number): number | null {
    return this.#loudAt.findLast((loudAt) => loudAt <= at) ?? null
  }

  #wasSilentBetween(from: number, to: number): boolean {
    const between = [from, ...this.#loudAt.filter((loudAt) => loudAt > from && loudAt <= to), to]
    return between.some((loudAt, index) => index > 0 && loudAt - between[index - 1]! > SILENCE_MS)
  }
}

interface Sampled {
  heardForMs?: number
  ageMs?: number
  staysOpen?: boolean
}

function sampleOf(id: string, { heardForMs = 0, ageMs = 0, staysOpen = false }: Sampled = {}): LevelSample {
  return {
    participantIds: [id],
    level: 1,
    heardForMs: Math.min(LONGEST_NAMELESS_MS, heardForMs),
    ageMs,
    staysOpen,
    source: 'audio_level',
  }
}
