/**
 * `npm run bench:speech`: the recognizer of this machine with its built-in model, which `standin speech install` fetches.
 *
 * Wrong words and processor time of stored speech, and the delays of live words: from the end of a turn to its final words,
 * and from its beginning to the first words that are seen. `-- --minutes 4` is the length of the stored speech, `-- --turns
 * 12` how many live turns are spoken, `-- --together 2` how many meetings speak at once.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { localSpeech } from '../src/speech/child.ts'
import { builtInModel, problemOfModel } from '../src/speech/model.ts'
import { createLocal } from '../src/transcription/index.ts'
import { median } from '../test/media/statistics.ts'
import { SENTENCES, wrongWords } from '../test/src/speech/sentences.ts'
import { measureTree } from './shared/process-tree.ts'
import { markdown } from './shared/table.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '4' },
    turns: { type: 'string', default: '12' },
    together: { type: 'string', default: '2' },
  },
})
const RATE = 24_000
const PIECE_MS = 100
const PAUSE = 1.5
const signal = new AbortController().signal
const settings = { engine: 'sherpa-onnx-node', models: builtInModel }
const problem = problemOfModel(settings)
if (problem !== null) throw new Error(problem)
const folder = mkdtempSync(join(tmpdir(), 'standin-speech-'))
const provider = createLocal({ name: 'local', open: localSpeech(settings), customParams: {} })
const silence = (seconds: number) => Buffer.alloc(Math.round(seconds * RATE) * 2)
const sounds = SENTENCES.map(({ file }) =>
  execFileSync('ffmpeg', ['-v', 'error', '-i', file, '-f', 's16le', '-ar', String(RATE), '-ac', '1', '-']),
)

try {
  const rows = [await stored(Number(values.minutes) * 60)]
  for (const together of [1, Number(values.together)]) rows.push(await live(together, Number(values.turns)))
  console.log(markdown(['what', 'measured', 'goal'], rows.flat()).join('\n'))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exit(0)

async function stored(seconds: number): Promise<string[][]> {
  const pieces: Buffer[] = []
  let [said, spoken, at] = ['', 0, 0]
  for (; spoken < seconds; at++) {
    const sound = sounds[at % sounds.length]!
    pieces.push(sound, silence(PAUSE))
    said += ` ${SENTENCES[at % sounds.length]!.text}`
    spoken += sound.byteLength / 2 / RATE
  }
  const file = join(folder, 'speech.m4a')
  const raw = ['-f', 's16le', '-ar', String(RATE), '-ac', '1', '-i', '-']
  execFileSync('ffmpeg', ['-v', 'error', ...raw, '-c:a', 'aac', file], { input: Buffer.concat(pieces) })
  // The model is loaded once for a machine.
  await provider.afterwards!.transcribe(SENTENCES[0]!.file, signal)
  const measure = measureTree(() => [process.pid])
  const from = performance.now()
  const { words } = await provider.afterwards!.transcribe(file, signal)
  const used = (measure().cores * (performance.now() - from)) / 1000
  const { wrong, all } = wrongWords(said, words.map(({ word }) => word).join(' '))
  return [
    ['wrong words', `${((100 * wrong) / all).toFixed(1)} % of ${all}`, '≤ 5 %'],
    ['processor for 40 minutes of speech', `${((used / spoken) * 40).toFixed(1)} core minutes`, '≤ 8'],
  ]
}

async function live(together: number, turns: number): Promise<string[][]> {
  const finals: number[] = []
  const firsts: number[] = []
  let lost = 0
  const meeting = async (number: number) => {
    const began: number[] = []
    const ended: number[] = []
    /** Of the sound of each turn, seconds. */
    const starts: number[] = []
    const firstAt: number[] = []
    const finalAt: number[] = []
    let seconds = 0
    const connection = await provider.live!.open(
      {
        heard({ isFinal, words }) {
          // A cut may give the end of a sentence to a turn of its own.
          const turn = starts.findLastIndex((start) => words.length > 0 && start <= words[0]!.start)
          if (turn < 0) return
          firstAt[turn] ??= performance.now()
          if (isFinal) finalAt[turn] = performance.now()
        },
        lost: () => lost++,
      },
      signal,
    )
    let next = performance.now()
    const play = async (sound: Buffer) => {
      const step = (RATE * PIECE_MS * 2) / 1000
      for (let at = 0; at < sound.byteLength; at += step) {
        connection.send(sound.subarray(at, at + step))
        seconds += Math.min(step, sound.byteLength - at) / (2 * RATE)
        next += PIECE_MS
        await delay(Math.max(0, next - performance.now()))
      }
    }
    for (let turn = 0; turn < turns; turn++) {
      const sound = sounds[(turn + number) % sounds.length]!
      began.push(performance.now())
      starts.push(seconds)
      await play(sound)
      connection.cut?.()
      ended.push(performance.now())
      await play(silence(PAUSE))
    }
    await connection.finish(AbortSignal.timeout(60_000))
    firsts.push(...firstAt.map((at, turn) => at - began[turn]!))
    finals.push(...finalAt.map((at, turn) => at - ended[turn]!))
    if (firstAt.length < turns) throw new Error(`Only ${firstAt.length} of ${turns} turns have words`)
  }
  await Promise.all(Array.from({ length: together }, (_, number) => meeting(number)))
  const share = (of: number[], part: number) =>
    of.sort((one, other) => one - other)[Math.ceil(of.length * part) - 1] ?? 0
  const text = (of: number[]) => `${(median(of) / 1000).toFixed(2)} s, 95 %: ${(share(of, 0.95) / 1000).toFixed(2)} s`
  const what = together === 1 ? 'one meeting' : `${together} meetings at once`
  return [
    [`${what}: end of a turn → final words`, text(finals), '95 %: ≤ 1 s (one, on a free core)'],
    [`${what}: beginning of a turn → first words`, text(firsts), '≤ 1.5 s'],
    [`${what}: connections lost`, String(lost), '0'],
  ]
}
