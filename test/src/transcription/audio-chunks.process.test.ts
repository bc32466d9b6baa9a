import { execFileSync, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { packageRoot } from '../../../packages/core/process/page-scripts.ts'
import { secondsOf } from '../../../src/transcription/audio-chunks.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'

/** A file that a program waits for without end. */
function silentPipe(): string {
  const pipe = join(temporaryFolder(), 'audio.m4a')
  execFileSync('mkfifo', [pipe])
  return pipe
}

/** Running programs with this file on their command line. */
function probesOf(file: string): string[] {
  return readdirSync('/proc').filter((id) => {
    try {
      return (
        /^\d+$/.test(id) && readFileSync(`/proc/${id}/cmdline`, 'utf8').startsWith('ffprobe\0') && commandHas(id, file)
      )
    } catch {
      return false
    }
  })
}

function commandHas(id: string, file: string): boolean {
  return readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0').includes(file)
}

test('a program that reads the sound does not outlive a killed bot', async () => {
  const file = silentPipe()
  const module = JSON.stringify(join(packageRoot, 'src/transcription/audio-chunks.ts'))
  const script = `const { secondsOf } = await import(${module}); await secondsOf(${JSON.stringify(file)}, new AbortController().signal)`
  const bot = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'ignore' })
  onTestFinished(() => {
    bot.kill('SIGKILL')
    for (const id of probesOf(file)) process.kill(Number(id), 'SIGKILL')
  })
  await expect.poll(() => probesOf(file).length).toBe(1)
  bot.kill('SIGKILL')
  await expect.poll(() => probesOf(file).length).toBe(0)
})

test('a stop ends the program and rejects with its reason', async () => {
  const file = silentPipe()
  const stop = new AbortController()
  const work = secondsOf(file, stop.signal)
  await expect.poll(() => probesOf(file).length).toBe(1)
  stop.abort(new Error('enough'))
  await expect(work).rejects.toThrow('enough')
  expect(probesOf(file)).toEqual([])
})

test('a file without sound is reported in a sentence', async () => {
  await expect(secondsOf(import.meta.filename, new AbortController().signal)).rejects.toThrow(/^The ffprobe died/)
})
