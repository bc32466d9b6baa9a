/** The measured cost of the bots of a launcher; one answer serves many checks of the capacity. */
import type { Log } from '../../../ports.ts'
import { type BotCost, expectedCost } from './capacity.ts'

const SERVES_MS = 60_000

/** Null while nothing is known. */
export type LearnedCost = () => Promise<(BotCost & { samples: number }) | null>

/** The expected cost of one bot. Never rejects: where the learned cost cannot be read, assumed figures count. */
export function createExpectedCost(learnedCost: LearnedCost | undefined, log: Log): () => Promise<BotCost> {
  let answer: { askedAt: number; learned: ReturnType<LearnedCost> } | null = null

  async function ask() {
    try {
      return (await learnedCost?.()) ?? null
    } catch (error) {
      log.warn({ error: String(error) }, 'The learned cost of bots could not be read; assumed figures are used')
      return null
    }
  }

  return async () => {
    if (answer === null || performance.now() - answer.askedAt > SERVES_MS)
      answer = { askedAt: performance.now(), learned: ask() }
    return expectedCost(await answer.learned)
  }
}
