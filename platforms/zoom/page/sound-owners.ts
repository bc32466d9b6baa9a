/**
 * Finds the owner of a sound. The sound itself shows, to the sample, when a person speaks. Who it is, where the sound
 * has no name, is shown by the mark that the page sets soon after the sound began. Pure.
 */
import { LEVEL_OFF, type LevelSample, MAX_STALL_MS, SILENCE_MS } from '../../shared/page/audio/speech-detector.ts'
import type { HeardPerson } from './sound.ts'
import { type Mark, newestMarks } from './speakers.ts'

/** A mark may appear this much before its sound, which is delayed before it is played. Milliseconds. */
export const MARK_AHEAD_MS = 400
/** A sound without a new mark belongs to a person whose mark is still shown. Milliseconds. */
export const NO_NEW_MARK_MS = 900
/** How long a sound may have lasted before a mark names its owner for all of that time. Milliseconds. */
export const MAX_NAMELESS_MS = 3000
/**
 * Rounds of 100 ms in which one sound coincides with one mark before the mark's person owns it for good, and the
 * necessary lead.
 */
const VOTES = 20
const VOTES_AHEAD = 3

/** A sound from its beginning to a silence. */
interface Run {
  beganAt: number
  lastLoudAt: number
  ownerId: string | null
}

/** Separate sounds, one for each person, of people whose number is not known yet. */
export class NamelessSounds {
  readonly #runs = new Map<number, Run>()
  readonly #votes = new Map<number, Map<string, number>>()

  /**
   * One round. `heard` are the sounds without a name, `marks` those of people without a sound. Returns the samples of
   * these people, and a pair that has become certain.
   */
  round(
    heard: readonly HeardPerson[],
    marks: readonly Mark[],
    at: number,
  ): { samples: LevelSample[]; certain: { userId: number; id: string } | null } {
    const loud = heard.filter(({ level }) => level >= LEVEL_OFF)
    for (const [userId, { lastLoudAt }] of this.#runs) if (at - lastLoudAt > SILENCE_MS) this.#runs.delete(userId)
    for (const { userId } of loud) {
      const run = this.#runs.get(userId)
      if (run) run.lastLoudAt = at
      else this.#runs.set(userId, { beganAt: at, lastLoudAt: at, ownerId: null })
    }
    this.#nameOne(marks, at)
    const samples = loud.flatMap(({ userId, level }) => {
      const run = this.#runs.get(userId)
      return run?.ownerId ? [{ participantIds: [run.ownerId], level, heardForMs: heardFor(run, at) }] : []
    })
    return { samples, certain: this.#vote(loud, newestMarks(marks)) }
  }

  forget(id: string): void {
    for (const votes of this.#votes.values()) votes.delete(id)
    for (const run of this.#runs.values()) if (run.ownerId === id) run.ownerId = null
  }

  /** With several sounds without a name, the sound of a mark is unknown. */
  #nameOne(marks: readonly Mark[], at: number): void {
    const runs = [...this.#runs.values()]
    const nameless = runs.filter(({ ownerId }) => ownerId === null)
    const [run] = nameless
    if (!run || nameless.length > 1) return
    const others = marks.filter(({ id }) => runs.every(({ ownerId }) => ownerId !== id))
    const candidates = marksOf(run, others, at)
    if (candidates.length === 1) run.ownerId = candidates[0]!.id
  }

  #vote(loud: readonly HeardPerson[], marks: readonly Mark[]): { userId: number; id: string } | null {
    const [sound] = loud
    const [mark] = marks
    if (loud.length !== 1 || marks.length !== 1 || !sound || !mark) return null
    const votes = this.#votes.get(sound.userId) ?? new Map<string, number>()
    this.#votes.set(sound.userId, votes)
    votes.set(mark.id, (votes.get(mark.id) ?? 0) + 1)
    const [best, next] = [...votes].sort(([, one], [, other]) => other - one)
    if (!best || best[1] < VOTES || best[1] < VOTES_AHEAD * (next?.[1] ?? 0)) return null
    return { userId: sound.userId, id: best[0] }
  }
}

/**
 * One mixed sound of all people, where each report of the client names all who speak and is valid until the next: the
 * newest mark names the owner of a sound, and a person who had a part in it keeps that while marked.
 */
export class MixedSound {
  readonly #mix = new MixRuns()

  round(level: number, marks: readonly Mark[], at: number): LevelSample[] {
    const isLoud = level >= LEVEL_OFF
    const run = this.#mix.round(isLoud, at)
    if (!run || !isLoud) return []
    const isFirst = run.named.size === 0
    const begun = new Set(marksOf(run, marks, at))
    return marks.flatMap((mark) => {
      const { id, since } = mark
      if (!begun.has(mark) && !run.named.has(id)) return []
      // The second speaker in one sound began about when the mark moved.
      const heardForMs = isFirst ? heardFor(run, at) : Math.min(heardFor(run, at), Math.max(0, at - since))
      run.named.add(id)
      return [{ participantIds: [id], level, heardForMs, source: 'audio_level' as const }]
    })
  }
}

/** The mixed sound of all people from its beginning to a silence. */
export interface MixRun {
  beganAt: number
  lastLoudAt: number
  /** People who had a part in it so far. */
  named: Set<string>
}

/** Cuts the mixed sound of all people into runs. */
export class MixRuns {
  #run: MixRun | null = null
  #lastRoundAt = Number.NEGATIVE_INFINITY

  /** The run that continues in this round, or null in a silence. */
  round(isLoud: boolean, at: number): MixRun | null {
    // Silence has to be observed: a page that was stalled between two loud rounds has observed none.
    const seenUntil = isLoud && at - this.#lastRoundAt <= MAX_STALL_MS ? this.#lastRoundAt : at
    if (this.#run && seenUntil - this.#run.lastLoudAt > SILENCE_MS) this.#run = null
    this.#lastRoundAt = at
    if (!isLoud) return this.#run
    this.#run ??= { beganAt: at, lastLoudAt: at, named: new Set() }
    this.#run.lastLoudAt = at
    return this.#run
  }
}

/** The marks that belong to this sound: new ones, and after a while without any, those that are still shown. */
function marksOf(run: Pick<Run, 'beganAt'>, marks: readonly Mark[], at: number): Mark[] {
  const fresh = marks.filter(({ since }) => since >= run.beganAt - MARK_AHEAD_MS)
  return newestMarks(fresh.length > 0 || at - run.beganAt < NO_NEW_MARK_MS ? fresh : marks)
}

function heardFor({ beganAt }: Pick<Run, 'beganAt'>, at: number): number {
  return Math.min(MAX_NAMELESS_MS, at - beganAt)
}
