/** The provider without a network: its engine is another process, whose death, absence and slowness harm nothing else. */

import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@standin/wire/time/deadline.ts'
import { expect, test } from 'vitest'
import { silentLogger } from '../../../packages/core/logger.ts'
import { LiveWords } from '../../../src/transcription/live-words.ts'
import { createLocal, localProblem } from '../../../src/transcription/local/provider.ts'
import { modelOf } from '../../../src/transcription/local/sherpa.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { silence, wordSound } from './realtime-service.ts'

const ENGINE = join(import.meta.dirname, 'stand-in-engine.ts')
const SIGNAL = new AbortController().signal

function models(...files: string[]): string {
  const folder = temporaryFolder()
  for (const file of files) writeFileSync(join(folder, file), '')
  return folder
}

/** The processes of the engine that this process has started. */
const engines = () =>
  readdirSync('/proc')
    .map(Number)
    .filter((id) => {
      try {
        const isOurs = readFileSync(`/proc/${id}/status`, 'utf8').includes(`\nPPid:\t${process.pid}\n`)
        return isOurs && readFileSync(`/proc/${id}/cmdline`, 'utf8').includes('engine-process')
      } catch {
        return false
      }
    })

test('live words come from an engine that is niced, restarted after a crash and ended with its last voice', async () => {
  const folder = models('model')
  writeFileSync(join(folder, 'crash-at'), 'w3')
  const finals: string[] = []
  const partials: string[] = []
  const notices: string[] = []
  const words = new LiveWords({
    ...{ recognition: createLocal({ models: folder, engine: ENGINE }).live!, clock: systemClock, logger: silentLogger },
    notice: (sentence) => notices.push(sentence),
    onWords: ({ isFinal, words: heard }) => (isFinal ? finals : partials).push(heard.map(({ word }) => word).join(' ')),
  })
  await expect.poll(() => engines().length, { timeout: 20_000 }).toBe(1)
  await expect.poll(() => getPriority(engines()[0]!), { timeout: 20_000 }).toBe(19)
  const play = (sound: Buffer) => {
    for (let at = 0; at < sound.byteLength; at += 3200) words.send(sound.subarray(at, at + 3200))
  }
  play(Buffer.concat([wordSound(1), wordSound(2), silence(1)]))
  await expect.poll(() => finals, { timeout: 20_000 }).toEqual(['w1 w2'])
  play(Buffer.concat([wordSound(3), wordSound(4), silence(1)]))
  await expect
    .poll(() => notices, { timeout: 20_000 })
    .toEqual([expect.stringContaining('the speech engine ended (7)')])
  await expect
    .poll(
      () => {
        play(silence(0.1))
        return finals
      },
      { timeout: 20_000, interval: 50 },
    )
    .toEqual(['w1 w2', 'w3 w4'])
  await words.close()
  expect(partials).toContain('w1')
  expect({ holes: words.holes, failure: words.failure }).toEqual({ holes: [], failure: null })
  await expect.poll(engines, { timeout: 20_000 }).toEqual([])
})

test('a recording is recognized as fast as the engine can, with the times of its turns', async () => {
  const folder = models('model')
  const sound = Buffer.concat([silence(1), wordSound(1), silence(2), wordSound(2), wordSound(3)])
  const file = join(folder, 'sound.wav')
  // At the rate of the engine, so that nothing is resampled.
  execFileSync('ffmpeg', ['-v', 'error', '-f', 's16le', '-ar', '16000', '-ac', '1', '-i', '-', file], { input: sound })
  const { words, language } = await createLocal({ models: folder, engine: ENGINE }).afterwards!.transcribe(file, SIGNAL)
  expect(words.map(({ word }) => word)).toEqual(['w1', 'w2', 'w3'])
  expect(words[0]!.start).toBeCloseTo(1.5, 0)
  expect(words[1]!.start).toBeCloseTo(4.95, 0)
  expect(language).toBe('en')
  await expect.poll(engines, { timeout: 20_000 }).toEqual([])
})

test('an engine without a model, or one that cannot be loaded, says so once and for all', async () => {
  const open = (engine: string, folder: string) =>
    createLocal({ models: folder, engine }).live!.open({ heard: () => {}, lost: () => {} }, SIGNAL)
  const empty = models()
  await expect(open(ENGINE, empty)).rejects.toMatchObject({
    message: `the speech engine cannot be used: There is no model in ${empty}`,
    isTransient: false,
  })
  await expect(open('no-such-engine', empty)).rejects.toMatchObject({ isTransient: false })
  expect(localProblem({ models: empty, engine: 'sherpa-onnx-node' })).toContain('has no speech model')
  expect(localProblem({ models: join(empty, 'none'), engine: ENGINE })).toContain('does not exist')
  expect(localProblem({ models: empty, engine: 'no-such-engine' })).toBe(
    'The speech engine no-such-engine is not installed; install it: npm install no-such-engine.',
  )
  expect(localProblem({ models: models('model'), engine: ENGINE })).toBeNull()
})

test.each([
  [
    'sherpa-onnx-streaming-zipformer-en',
    ['encoder.onnx', 'encoder.int8.onnx', 'decoder.onnx', 'joiner.onnx', 'tokens.txt'],
    true,
  ],
  ['sherpa-onnx-nemo-parakeet', ['encoder.int8.onnx', 'decoder.int8.onnx', 'joiner.int8.onnx', 'tokens.txt'], false],
  ['sherpa-onnx-whisper-tiny', ['tiny-encoder.onnx', 'tiny-decoder.onnx', 'tiny-tokens.txt'], false],
  ['sherpa-onnx-sense-voice', ['model.int8.onnx', 'tokens.txt'], false],
])('the files of %s are a model of their kind', (name, files, isStreaming) => {
  const folder = join(models(), name)
  mkdirSync(folder)
  const found = modelOf(folder, files)
  expect(found?.isStreaming).toBe(isStreaming)
  expect(JSON.stringify(found?.config)).toContain(files.some((file) => file.includes('int8')) ? 'int8' : 'tiny')
  expect(modelOf(folder, ['README.md', 'encoder.onnx'])).toBeNull()
})
