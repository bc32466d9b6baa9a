/** `standin join --stand-by`: a bot loads its program before it has a job, so that it starts a second sooner. */
import { text } from 'node:stream/consumers'
import type { Io } from '@standin/wire/process/command-io.ts'
import type { BotStart } from '@standin/wire/process/stand-by.ts'
import { loadPlaywright } from '../../platforms/browser/browser.ts'

/**
 * Resolves with the start that the launcher writes to the standard input, its variables added to those of `io`; null if the
 * launcher is gone.
 */
export async function standBy(io: Io): Promise<BotStart | null> {
  // Nothing else: no program is started and no page is opened before the bot knows its user.
  await Promise.all([import('./join.ts'), loadPlaywright()])
  const given = await text(io.input)
  if (given === '') return null
  const start = JSON.parse(given) as BotStart
  Object.assign(io.environment, start.environment)
  return start
}
