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
  let most = 0
  for (let turn = 0; turn < 60; turn++) {
    // Not silence, which a recognizer leaves sooner.
    const samples = Float32Array.from({ length: 16_000 * (1 + ((turn * 7) % 28)) }, (_, at) => Math.sin(at / 9) / 9)
    await recognizers.recognize(samples, 'stored', signal)
    most = Math.max(most, recognizers.memory)
  }
  console.log(`${Math.round(most / 1e6)} MB at most, ${recognizers.counts.renewed} renewed`)
  expect(most).toBeLessThanOrEqual(700_000_000)
})
