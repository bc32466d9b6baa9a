/** The voice of Debian's program `flite`: English, quick, and audibly synthetic. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHILD_PATH } from '@standin/wire/process/child-path.ts'
import type { Voice } from '../../packages/core/ports.ts'
import { supervise } from '../../packages/core/process/supervised.ts'
import { pcmOf } from './pcm.ts'

/** It speaks 30 times faster than a person. */
const DEADLINE_MS = 20_000
/** Exit code of `setpriv` if there is no such program. */
const NOT_FOUND = 127

export function openFlite({ voice, sampleRate }: { voice: string; sampleRate: number }): Voice {
  return {
    async speak(text, signal) {
      const inTime = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)])
      const folder = await mkdtemp(join(tmpdir(), 'standin-voice-'))
      try {
        // Into a pipe it would write a header only.
        const file = join(folder, 'speech.wav')
        await run(['-voice', voice, '-o', file], text, inTime)
        return await pcmOf(await readFile(file), { sampleRate, signal: inTime })
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
    close() {},
  }
}

async function run(args: readonly string[], text: string, signal: AbortSignal): Promise<void> {
  const child = await supervise({
    ...{ name: 'flite', command: 'flite', args, stdin: true },
    env: { PATH: CHILD_PATH, LC_ALL: 'C.UTF-8' },
    stopSteps: [],
  })
  const stop = () => void child.stop()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  child.stdin!.end(text)
  const { exitCode, text: reason } = await child.ended
  signal.removeEventListener('abort', stop)
  signal.throwIfAborted()
  if (exitCode === NOT_FOUND)
    throw new Error('The bot has no voice: install flite, or name a service in STANDIN_VOICE_URL.')
  if (exitCode !== 0) throw new Error(reason)
}
