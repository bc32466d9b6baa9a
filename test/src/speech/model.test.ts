import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SAMPLE_RATE } from '../../../src/speech/engine.ts'
import { guarded, isRunaway } from '../../../src/speech/guard.ts'
import { checkSums, modelOf, problemOfModel } from '../../../src/speech/model.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'

test.each([
  ['zipformer-streaming', ['encoder.onnx', 'encoder.int8.onnx', 'decoder.onnx', 'joiner.onnx'], 'streaming transducer'],
  ['parakeet', ['encoder.int8.onnx', 'decoder.int8.onnx', 'joiner.int8.onnx'], 'transducer'],
  ['whisper', ['tiny-encoder.onnx', 'tiny-decoder.onnx', 'tiny-tokens.txt'], 'Whisper'],
  ['sense-voice', ['model.int8.onnx'], 'SenseVoice'],
  ['moonshine', ['encoder_model.onnx', 'decoder_model_merged.onnx', 'silero_vad_v6.onnx'], 'Moonshine'],
  ['moonshine-ort', ['encoder_model.ort', 'decoder_model_merged.ort'], 'Moonshine'],
  [
    'moonshine-v1',
    ['preprocess.onnx', 'encode.int8.onnx', 'uncached_decode.int8.onnx', 'cached_decode.int8.onnx'],
    'Moonshine',
  ],
])('the files of %s are a model of their kind', (name, files, kind) => {
  const tokens = files.some((file) => file.endsWith('tokens.txt')) ? [] : ['tokens.txt']
  const found = modelOf(`/models/${name}`, [...files, ...tokens])
  expect(found?.kind).toBe(kind)
  if (files.some((file) => file.includes('int8'))) expect(JSON.stringify(found!.config)).toContain('int8')
  expect(
    modelOf(
      `/models/${name}`,
      files.filter((file) => !file.includes('tokens')),
    ),
  ).toBeNull()
})

test('a folder or an engine that cannot be used is said in one sentence', async () => {
  const folder = temporaryFolder()
  const engine = 'sherpa-onnx-node'
  expect(problemOfModel({ engine, models: folder })).toContain('has no speech model')
  expect(problemOfModel({ engine, models: join(folder, 'none') })).toContain('cannot be read')
  expect(problemOfModel({ engine: 'no-such-engine', models: folder })).toContain('npm install no-such-engine')
  expect(problemOfModel({ engine: join(folder, 'x.mjs'), models: folder })).toContain('STANDIN_SPEECH_ENGINE')
  for (const one of ['one', 'two']) {
    mkdirSync(join(folder, one))
    for (const file of ['model.onnx', 'tokens.txt']) writeFileSync(join(folder, one, file), '')
    const problem = problemOfModel({ engine, models: folder })
    if (one === 'one') expect(problem).toBeNull()
    else expect(problem).toContain('2 speech models')
  }
  writeFileSync(join(folder, 'SHA256SUMS'), `${'0'.repeat(64)}  model.onnx\n`)
  await expect(checkSums(folder)).rejects.toThrow('is not the file that SHA256SUMS names')
})

test.each([
  ['Thank you all for coming today', 2, false],
  ['no, no, no, no, no', 2, false],
  ['we go to the we go to the we go to the we go to the', 10, true],
  [Array.from({ length: 30 }, (_, n) => `word${n}`).join(' '), 2, true],
  ['yes', 0.1, false],
])('%s in %d s: repeated without end is %s', (text, seconds, expected) => {
  expect(isRunaway(text, seconds)).toBe(expected)
})

test('a guarded turn keeps its words in order, whatever parts of it run away', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 16 }), async (bad) => {
      // Each second of sound says its number; a part with a bad second repeats itself.
      const samples = Float32Array.from({ length: bad.length * SAMPLE_RATE }, (_, at) => Math.floor(at / SAMPLE_RATE))
      const asked: number[] = []
      const { text } = await guarded((part) => {
        asked.push(part.length)
        const seconds = [...new Set(part)]
        const isBad = seconds.some((second) => bad[second])
        return { text: isBad ? 'a b c d a b c d a b c d a b c d' : seconds.map((second) => `s${second}`).join(' ') }
      }, samples)
      const numbers = text
        .split(' ')
        .filter(Boolean)
        .map((word) => Number(word.slice(1)))
      expect(numbers).toEqual([...numbers].sort((one, other) => one - other))
      expect(numbers.filter((second) => bad[second])).toEqual([])
      if (!bad.includes(true)) expect(numbers).toEqual(bad.map((_, second) => second))
      expect(asked.length).toBeLessThan(16)
    }),
    { numRuns: 50 },
  )
})

test.each([
  ['with other ends', 'hello', 2],
  ['in two parts', 'hello hello', 4],
])('a turn in which nothing was found is recognized again, %s', async (_, text, times) => {
  const lengths: number[] = []
  const found = await guarded(
    ({ length }) => {
      lengths.push(length)
      return { text: lengths.length < (times === 2 ? 2 : 3) ? '' : 'hello' }
    },
    new Float32Array(4 * SAMPLE_RATE),
  )
  expect(found.text).toBe(text)
  expect(lengths).toHaveLength(times)
  expect(lengths[1]).toBeLessThan(lengths[0]!)
})

test('marks of sounds are no words', async () => {
  const hear = async (text: string) => (await guarded(() => ({ text }), new Float32Array(5 * SAMPLE_RATE))).text
  expect(await hear('[BLANK_AUDIO]')).toBe('')
  expect(await hear('so (music) we begin ♪')).toBe('so we begin')
})
