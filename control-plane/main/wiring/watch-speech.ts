/** Which providers of transcripts the launchers can use, for a process that has none of their settings. */

import type { SpeechProblems } from '@standin/wire/speech-access.ts'
import { startLoop } from '@standin/wire/time/loop.ts'
import type { Log } from '../../platform/ports.ts'
import { readSpeechProblems } from '../../store/capacity.ts'
import type { Database } from '../../store/database.ts'
import type { Closing } from './closing.ts'

/** A launcher reports as often. */
const EVERY_MS = 10_000

export async function watchSpeech(
  database: Database,
  closing: Closing,
  log: Log,
): Promise<() => SpeechProblems | null> {
  let latest = await readSpeechProblems(database)
  const loop = startLoop(
    async () => {
      latest = await readSpeechProblems(database)
      return EVERY_MS
    },
    {
      onError: (error) => log.warn({ error: String(error) }, 'The providers of transcripts could not be read'),
      afterErrorMs: EVERY_MS,
    },
  )
  closing.addWork('providers of transcripts', () => loop.close())
  return () => latest
}
