/** Which signals of the page answered since the last poll; the driver counts them (`packages/wire/page-signals.ts`). */
import type { SignalOf, SignalPlatform } from '@standin/wire/page-signals.ts'

const answered = new Set<string>()

type Question<Name> = Name extends `${infer Asked}.${string}` ? Asked : never
type Answers<Name, Asked extends string> = Name extends `${Asked}.${infer Signal}` ? Signal : never

/** The notes of one platform's signals. */
export function signalNotes<Platform extends SignalPlatform>() {
  type Name = SignalOf<Platform>
  return {
    /** True if it answered. */
    note(name: Name, hasAnswered: boolean): boolean {
      if (hasAnswered) answered.add(name)
      return hasAnswered
    },
    /** The first answer, in the order of the signals; all signals with an answer are noted. */
    first<Asked extends Question<Name>, Found>(
      question: Asked,
      found: Record<Answers<Name, Asked>, Found | null>,
    ): Found | null {
      const answers = Object.entries<Found | null>(found).filter(([, answer]) => answer !== null)
      for (const [signal] of answers) answered.add(`${question}.${signal}`)
      return answers[0]?.[1] ?? null
    },
  }
}

/** Names since the last call. */
export function takeAnswered(): string[] {
  const names = [...answered]
  answered.clear()
  return names
}
