/** Helpers of the tests of every provider. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, vi } from 'vitest'
import type { HeardWords, LiveRecognition, SpeechProvider } from '../../../../src/transcription/types.ts'
import { temporaryFolder } from '../../../fakes/at-end.ts'

const SIGNAL = new AbortController().signal
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** A file of 16 bytes. */
function sound(): string {
  const file = join(temporaryFolder(), 'audio.m4a')
  writeFileSync(file, 'not really sound')
  return file
}

export const transcribed = ({ afterwards }: SpeechProvider, signal = SIGNAL) => afterwards!.transcribe(sound(), signal)

/** The service does not answer; `asked` counts what it was asked. */
export async function expectStop(provider: SpeechProvider, asked: () => number, requests: number): Promise<void> {
  const stop = new AbortController()
  const work = transcribed(provider, stop.signal)
  await expect.poll(asked).toBe(requests)
  // What waits for minutes must not depend on what is collected meanwhile.
  collectGarbage()
  await setImmediate()
  stop.abort(new Error('enough'))
  await expect(work).rejects.toThrow('enough')
}

/** The service answers after 1.5 s, in a time in which a minute has 60 ms. */
export async function expectPatience(provider: SpeechProvider): Promise<void> {
  const set = setTimeout
  const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation((work, ms = 0) => set(work, ms / 1000))
  onTestFinished(() => timers.mockRestore())
  await transcribed(provider)
}

export async function openLive(live: LiveRecognition) {
  const heard: HeardWords[] = []
  const lost: string[] = []
  const listener = { heard: (words: HeardWords) => heard.push(words), lost: (reason: string) => lost.push(reason) }
  const connection = await live.open(listener, SIGNAL)
  onTestFinished(() => connection.close())
  const finals = () => heard.filter(({ isFinal }) => isFinal)
  return { connection, heard, lost, finals }
}
