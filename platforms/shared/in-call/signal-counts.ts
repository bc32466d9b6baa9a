/** Counts at how many polls each signal of the page answered, so that a signal which is gone from the page is noticed. */
import { countedIn, countedSignals } from '@standin/wire/page-signals.ts'
import type { SignalCounts } from '../../../packages/core/ports.ts'
import type { CommonSnapshot } from '../page/types.ts'
import type { PageClassifier, PageState } from '../page-state.ts'

export class SignalCounter<Snapshot extends CommonSnapshot, Kind extends string> {
  readonly #classifier: PageClassifier<Snapshot, Kind>
  readonly #counts: Record<string, number>

  constructor(classifier: PageClassifier<Snapshot, Kind>) {
    this.#classifier = classifier
    const names = classifier.signals ? countedSignals(classifier.signals.platform) : []
    this.#counts = Object.fromEntries(names.map((name) => [name, 0]))
  }

  /** A copy, with 0 for signals that never answered. */
  get counts(): SignalCounts {
    return { ...this.#counts }
  }

  /** `alsoAnswered`: signals that only the driver knows. */
  poll(snapshot: Snapshot, state: PageState<Kind>, alsoAnswered: readonly string[] = []): void {
    const { signals, phases } = this.#classifier
    if (!signals) return
    const phase = phases[state.kind]
    const answers = [
      ...(snapshot.answered ?? []),
      ...alsoAnswered,
      ...signals.answeredBy(snapshot, state),
      ...state.proofs.map((proof) => `in_call.${proof}`),
      ...(snapshot.receivesSound ? ['in_call.sound'] : []),
      ...(snapshot.receivesSound === false ? ['out.no_sound'] : []),
    ]
    const isAsked = (name: string | false) =>
      name && !(name.startsWith('in_call.') && phase !== 'in_call') && !(name.startsWith('out.') && phase !== 'out')
    const asked = new Set(answers.filter(isAsked) as string[])
    for (const name of countedIn(signals.platform, asked)) this.#counts[name] = (this.#counts[name] ?? 0) + 1
  }
}
