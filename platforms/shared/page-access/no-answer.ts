import type { Logger } from '../../../packages/core/logger.ts'

/** The page did not answer in time; it may be busy. */
export class NoAnswer extends Error {
  constructor() {
    super('The page did not answer in time')
    this.name = 'NoAnswer'
  }
}

/**
 * Waits for steps in the page. They end without an error at the first one that the page does not answer: the next poll
 * shows whether the page is frozen.
 */
export async function untilSilence(logger: Logger, steps: Promise<unknown>): Promise<void> {
  try {
    await steps
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    logger.warn('The page did not answer a step; the next poll decides')
  }
}
