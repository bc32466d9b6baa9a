/** The built-in model itself, which `sh scripts/setup.sh --long` installs: words of the demo's people, of noise, and memory. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { builtInModel } from '../../../src/speech/model.ts'
import { Recognizers } from '../../../src/speech/recognizers.ts'
import { turnsOfFile } from '../../../src/speech/recording.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { SENTENCES, wrongWords } from './sentences.ts'

const MODEL = { engine: 'sherpa-onnx-node', models: builtInModel }
function open() {
  const recognizers = new Recognizers({ ...MODEL, count: 1 })
  onTestFinished(() => recognizers.close())
  const turns = (file: string) =>
    Array.fromAsync(turnsOfFile(file, { recognizers, ...MODEL, signal: new AbortController().signal }))
  return { recognizers, turns }
}

const played = (sentence: string, filter: string) => {
  const file = join(temporaryFolder(), 'sound.wav')
  execFileSync('ffmpeg', ['-v', 'error', '-i', sentence, '-filter_complex', filter, '-ar', '16000', '-ac', '1', file])
  return file
}

function samplesOf(file: string, filter = 'anull'): Float32Array {
  const raw = ['-af', filter, '-f', 'f32le', '-ar', '16000', '-ac', '1', '-']
  return new Float32Array(new Uint8Array(execFileSync('ffmpeg', ['-v', 'error', '-i', file, ...raw])).buffer)
}

test.each([
  ['clean', 'anull'],
  [
    'in noise of 20 dB',
    'anoisesrc=color=white:amplitude=0.008:duration=30[noise];[0][noise]amix=duration=first:normalize=0',
  ],
])('at most 5 %% of the words of the demo are wrong, %s', async (_name, filter) => {
  const { turns } = open()
  let [wrong, all] = [0, 0]
  for (const { file, text } of SENTENCES) {
    const heard = (await turns(played(file, filter))).map((turn) => turn.text).join(' ')
    const found = wrongWords(text, heard)
    wrong += found.wrong
    all += found.all
  }
  console.log(`${wrong} of ${all} words are wrong`)
  expect(wrong / all).toBeLessThanOrEqual(0.05)
})

test('a turn keeps its words, whatever silence is around it', async () => {
  const { recognizers } = open()
  for (const { file, text } of SENTENCES)
    for (const silence of [0.1, 0.25, 0.4, 0.55]) {
      const samples = samplesOf(file, `adelay=${silence * 1000},apad=pad_dur=${1 - silence}`)
      const heard = await recognizers.recognize(samples, 'stored', new AbortController().signal)
      const { wrong, all } = wrongWords(text, heard!.text)
      expect({ file, silence, isWhole: wrong < all / 3 }).toEqual({ file, silence, isWhole: true })
    }
})

test('noise, a hum and silence have no words', async () => {
  const { turns } = open()
  for (const source of ['anoisesrc=amplitude=0.05', 'sine=frequency=100', 'anullsrc']) {
    const file = join(temporaryFolder(), 'sound.wav')
    execFileSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', source, '-t', '8', '-ar', '16000', file])
    expect(await turns(file)).toEqual([])
  }
})

test('turns of all lengths take at most 600 MB', async () => {
  const { recognizers } = open()
  const signal = new AbortController().signal
  const all = Float32Array.from(SENTENCES.flatMap(({ file }) => [...samplesOf(file)]))
  let most = 0
  for (let turn = 0; turn < 28; turn++) {
    await recognizers.recognize(all.slice(0, 16_000 * (1 + ((turn * 7) % 28))), 'stored', signal)
    most = Math.max(most, recognizers.memory)
  }
  console.log(`${Math.round(most / 1e6)} MB at most, ${recognizers.counts.renewed} renewed`)
  expect(most).toBeLessThanOrEqual(700_000_000)
})
