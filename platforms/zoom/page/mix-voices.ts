/**
 * Decides by their voices which of the possible people spoke: finds the likeliest of all possible courses of the last
 * seconds (Viterbi). One or two speak at a time. Pure.
 */
import type { Spectrum } from './voice-features.ts'
import { Voices } from './voice-model.ts'

/** A tenth of a second of the mixed sound of all people. */
export interface Round {
  at: number
  isLoud: boolean
  spectra: readonly Spectrum[]
  /** People who can have spoken, by the marks. */
  possible: Set<string>
  /** The person whose mark has just appeared. */
  begins: string | null
  /** The speakers among several possible ones, by the voice; null if the voice does not decide. */
  heard: ReadonlySet<string> | null
  isLearned: boolean
  /** Likelihood of each person, as it was when first computed. */
  likelihoods: Map<string, number>
}

interface State {
  ids: readonly string[]
  score: number
  /** The state of the round before that leads here. */
  from: number
}

/** Neighboring spectra are nearly equal, so each of them counts for this part only, and for no more than this. */
const WEIGHT = 0.3
const MOST = 6
/**
 * Costs, as logarithms: a person begins or ends; a person is silent when the mark comes; two speak at once, for each
 * spectrum.
 */
const CHANGE = 4
const SILENT_AT_MARK = 8
const TWO_AT_ONCE = 0.3
/** With more people at once voices are not compared: the number of courses grows with the fourth power. */
const MAX_POSSIBLE = 6
/** After so long another person's mark would have appeared, and all evidence of voices is complete. Milliseconds. */
const ALONE_MS = 1200
const DECIDED_MS = 4000

export class MixVoices {
  readonly #voices = new Voices()

  /** Decides who speaks in the rounds, the newest of which is new. */
  decide(rounds: readonly Round[], at: number): void {
    for (const spectrum of rounds.at(-1)?.spectra ?? []) this.#voices.addUnknown(spectrum)
    for (const round of rounds) if (!round.isLearned) this.#learn(round, at - round.at)
    const audible = rounds.filter(
      ({ spectra, possible }) => spectra.length > 0 && possible.size > 0 && possible.size <= MAX_POSSIBLE,
    )
    const first = audible.findIndex(({ possible }) => possible.size > 1)
    // Before that there is nothing to decide, and only the last round matters for the next ones.
    if (first >= 0) this.#follow(audible.slice(Math.max(0, first - 1)))
  }

  forget(id: string): void {
    this.#voices.forget(id)
  }

  #learn(round: Round, ageMs: number): void {
    const speakers = round.possible.size > 1 && ageMs >= DECIDED_MS ? round.heard : round.possible
    const [id, ...others] = speakers ?? []
    if (ageMs < ALONE_MS || id === undefined || others.length > 0) return
    round.isLearned = true
    for (const spectrum of round.spectra) this.#voices.learn(id, spectrum)
  }

  #follow(rounds: readonly Round[]): void {
    const course: State[][] = []
    for (const round of rounds) course.push(this.#statesOf(round, course.at(-1) ?? []))
    const last = course.at(-1) ?? []
    const best = Math.max(...last.map(({ score }) => score))
    let index = last.findIndex(({ score }) => score === best)
    for (let i = rounds.length - 1; i >= 0; i--) {
      const round = rounds[i]!
      const { ids, from } = course[i]![index]!
      round.heard = [...round.possible].some((id) => this.#voices.isKnown(id)) ? new Set(ids) : null
      index = from
    }
  }

  #statesOf(round: Round, before: readonly State[]): State[] {
    const people = [...round.possible].sort()
    const sets = people.flatMap((one, index) => [[one], ...people.slice(index + 1).map((other) => [one, other])])
    return sets.map((ids) => {
      const state = { ids, score: before.length === 0 ? 0 : Number.NEGATIVE_INFINITY, from: 0 }
      before.forEach(({ ids: earlier, score }, from) => {
        const begin = ids.filter((id) => !earlier.includes(id)).length
        const end = earlier.filter((id) => !ids.includes(id)).length
        const reached = score - CHANGE * Math.max(begin, end)
        if (reached > state.score) Object.assign(state, { score: reached, from })
      })
      state.score += this.#likelihood(round, ids)
      if (round.begins !== null && !ids.includes(round.begins)) state.score -= SILENT_AT_MARK
      return state
    })
  }

  #likelihood({ spectra, likelihoods }: Round, ids: readonly string[]): number {
    const key = ids.map((id) => `${id} ${this.#voices.isKnown(id)}`).join('\n')
    const known = likelihoods.get(key)
    if (known !== undefined) return known
    let sum = 0
    for (const spectrum of spectra) {
      const likelihood = Math.max(-MOST, Math.min(MOST, this.#voices.likelihood(ids, spectrum)))
      sum += WEIGHT * (likelihood - (ids.length > 1 ? TWO_AT_ONCE : 0))
    }
    likelihoods.set(key, sum)
    return sum
  }
}
