/**
 * Decides who speaks in one mixed sound of all people, where only a mark names them that stays for a while after the
 * last word. A mark that goes says when its person fell silent: earlier by the time that marks stay. While one person
 * alone is marked, the sound is that person's at once. While several are, the decision stays open for as long as marks
 * stay, until it is known which of them can have spoken. Their voices then decide between these, once the voices are
 * known. Pure.
 */
import { LEVEL_OFF, type LevelSample, SILENCE_MS } from '../../shared/page/audio/speech-detector.ts'
import { MAX_LINGER_MS, MarkLinger } from './mark-linger.ts'
import { MixVoices, type Round } from './mix-voices.ts'
import { MARK_AHEAD_MS, MAX_NAMELESS_MS, type MixRun, MixRuns, NO_NEW_MARK_MS } from './sound-owners.ts'
import { type Mark, newestMarks } from './speakers.ts'
import type { Spectrum } from './voice-features.ts'

/** A mark that replaces another one is believed at the second poll, at most so much later. Milliseconds. */
const NEXT_LOOK_MS = 300
/**
 * A person who was marked before a sound began has a part in it when the mark outlasts its beginning by more than this.
 * Milliseconds.
 */
const PROOF_MS = 400
/** A person whose mark appears speaks then, for at least this long. Milliseconds. */
const MIN_WORD_MS = 200
/** Rounds with a voice that should have been silent. */
const HEARD_AGAIN = 5
/** A turn that was not prolonged for so long is closed, and after so long the next one can begin. Milliseconds. */
const OPEN_MS = SILENCE_MS + 100
const CLOSED_MS = SILENCE_MS + 200
const KEPT_MS = MAX_LINGER_MS + 1500
/** Marks that go sooner than this are better evidence than voices. Milliseconds. */
const LONG_LINGER_MS = 1500

/** A person who is marked, or was until lately. */
interface Marked {
  id: string
  since: number
  /** When the mark was missed first; null while it is shown. */
  goneAt: number | null
  /** The meaning of the mark's end is known. */
  isOver: boolean
  /** The latest time when this person certainly spoke, because the mark was new. */
  spokeAt: number
  /** Until when this person was reported as speaking, and when that was reported. */
  reportedUntil: number
  reportedAt: number
}

export class MarkedSound {
  readonly #linger = new MarkLinger()
  readonly #people = new Map<string, Marked>()
  readonly #mix = new MixRuns()
  readonly #voices = new MixVoices()
  #rounds: Round[] = []
  #run: MixRun | null = null

  /** One round, a few times a second, also in silence; `spectra` are those since the last one. */
  round(level: number, marks: readonly Mark[], at: number, spectra: readonly Spectrum[] = []): LevelSample[] {
    const isLoud = level >= LEVEL_OFF
    this.#linger.observe(marks, isLoud, at)
    const lastLoudAt = this.#run?.lastLoudAt
    const run = this.#mix.round(isLoud, at)
    // While the page was stalled the sound continued.
    if (isLoud && run === this.#run && lastLoudAt !== undefined)
      for (let missed = lastLoudAt + SILENCE_MS; missed < at; missed += SILENCE_MS)
        this.#rounds.push(roundOf(missed, true, marks))
    this.#run = run
    this.#rounds.push(roundOf(at, isLoud, marks, spectra))
    this.#rounds = this.#rounds.filter((round) => at - round.at <= KEPT_MS)
    for (const mark of marks) this.#stand(mark)
    if (run && isLoud) this.#begin(run, marks, at)
    for (const person of this.#people.values())
      if (marks.every(({ id }) => id !== person.id)) this.#miss(person, marks, at)
    if (this.#linger.ms >= LONG_LINGER_MS) this.#voices.decide(this.#rounds, at)
    return [...this.#people.values()].flatMap((person) => this.#sampleOf(person, marks.length === 1, at) ?? [])
  }

  forget(id: string): void {
    this.#people.delete(id)
    this.#voices.forget(id)
    for (const { possible } of this.#rounds) possible.delete(id)
  }

  #stand({ id, since }: Mark): void {
    const known = this.#people.get(id)
    if (!known) {
      const unreported = { reportedUntil: Number.NEGATIVE_INFINITY, reportedAt: Number.NEGATIVE_INFINITY }
      this.#people.set(id, { id, since, goneAt: null, isOver: false, spokeAt: Number.NEGATIVE_INFINITY, ...unreported })
    } else if (known.goneAt !== null)
      Object.assign(known, { since, goneAt: null, isOver: false, spokeAt: Number.NEGATIVE_INFINITY })
  }

  /** The marks that belong to this sound: new ones, and after a while without any, those that are still shown. */
  #begin(run: MixRun, marks: readonly Mark[], at: number): void {
    const isFirst = run.named.size === 0
    const isNameless = isFirst && at - run.beganAt >= NO_NEW_MARK_MS
    for (const mark of marks) {
      const { id, since } = mark
      const person = this.#people.get(id)!
      const isFresh = since >= run.beganAt - MARK_AHEAD_MS
      if (person.spokeAt >= run.beganAt || !(isFresh || (isNameless && newestMarks(marks).includes(mark)))) continue
      person.spokeAt = at
      run.named.add(id)
      // The second speaker in one sound began about when the mark came.
      const from = isFirst ? run.beganAt : Math.max(run.beganAt, Math.min(at, since))
      for (const round of this.#rounds) {
        if (round.at >= from) round.possible.add(id)
        if (isFresh && round.at >= since && round.at <= since + MIN_WORD_MS) round.begins = id
      }
    }
  }

  /**
   * A person whose mark has gone fell silent before that, by the time that marks stay. Where the mark went because
   * another person began, its end does not show when in that time it was.
   */
  #miss(person: Marked, marks: readonly Mark[], at: number): void {
    const { id, spokeAt } = person
    person.goneAt ??= at
    if (at - person.goneAt > KEPT_MS) this.#people.delete(id)
    if (person.isOver || at - person.goneAt < NEXT_LOOK_MS) return
    person.isOver = true
    const until = this.#isReplaced(person, person.goneAt, marks) ? person.goneAt : person.goneAt - this.#linger.ms
    const beganAt = this.#run?.beganAt ?? Number.POSITIVE_INFINITY
    const hasPart = spokeAt >= beganAt || until >= beganAt + PROOF_MS
    for (const { at: roundAt, possible } of this.#rounds)
      if (roundAt > Math.max(until, spokeAt) || (roundAt >= beganAt && !hasPart)) possible.delete(id)
  }

  /** Another person's mark came, or this one went too soon to go by itself, or its person spoke until then. */
  #isReplaced({ id, since, spokeAt }: Marked, goneAt: number, marks: readonly Mark[]): boolean {
    const from = goneAt - this.#linger.ms + PROOF_MS
    if (marks.some((mark) => mark.since >= goneAt - NEXT_LOOK_MS)) return true
    if (marks.length === 0 || Math.max(since, spokeAt) > from) return marks.length > 0
    return this.#rounds.filter(({ at, heard }) => at > from && at <= goneAt && heard?.has(id)).length >= HEARD_AGAIN
  }

  #sampleOf(person: Marked, isAlone: boolean, at: number): LevelSample | null {
    const { id, isOver, goneAt, spokeAt, reportedUntil, reportedAt } = person
    const isOpen = at - reportedAt <= OPEN_MS
    if (!isOpen && at - reportedAt <= CLOSED_MS) return null
    const isKnown = isOver || (goneAt === null && isAlone && (this.#run === null || spokeAt >= this.#run.beganAt))
    const knownUntil = isKnown ? at : Math.max(at - this.#linger.ms - (isOpen ? 0 : PROOF_MS), spokeAt)
    const own = this.#rounds.filter(
      (round) => round.isLoud && round.at > reportedUntil && round.at <= knownUntil && isOf(round, id),
    )
    const from = isOpen ? reportedUntil : own[0]?.at
    if (from === undefined) return null
    let until = from
    for (const round of own) if (round.at - until <= SILENCE_MS) until = round.at
    const staysOpen = !isKnown && knownUntil - until <= SILENCE_MS
    if (isOpen && until === from && !staysOpen) return null
    Object.assign(person, { reportedUntil: until, reportedAt: at })
    return {
      participantIds: [id],
      level: 1,
      heardForMs: Math.min(MAX_NAMELESS_MS, until - from),
      ageMs: at - until,
      staysOpen,
      source: 'audio_level',
    }
  }
}

function roundOf(at: number, isLoud: boolean, marks: readonly Mark[], spectra: readonly Spectrum[] = []): Round {
  const possible = new Set(marks.map(({ id }) => id))
  return { at, isLoud, spectra, possible, begins: null, heard: null, isLearned: false, likelihoods: new Map() }
}

function isOf({ possible, heard }: Round, id: string): boolean {
  return possible.has(id) && (possible.size === 1 || heard === null || heard.has(id))
}
