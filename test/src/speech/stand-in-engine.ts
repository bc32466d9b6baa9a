/**
 * An engine that recognizes the words of `wordSound` by their level. The folder of its model may hold orders: `crash-at`
 * names a word, once; `repeat` makes it say the last word again and again; `grow` makes its process take memory.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenEngine } from '../../../src/speech/engine.ts'
import { LEVEL } from '../transcription/realtime-service.ts'

const STEP = 160
const grown: Buffer[] = []

function wordsIn(samples: Float32Array): string[] {
  const words: string[] = []
  for (let at = 0, run = 0, last = 0; at + STEP <= samples.length + STEP; at += STEP) {
    const level = samples.subarray(at, at + STEP).reduce((sum, sample) => sum + (sample * 32_768) / STEP, 0)
    const number = Math.round(level / LEVEL)
    run = number === last ? run + 1 : 1
    // Half of a word's length.
    if (run === 15 && number > 0) words.push(`w${number}`)
    last = number
  }
  return words
}

export const openEngine: OpenEngine = async (folder) => {
  if (!existsSync(join(folder, 'model'))) throw new Error(`There is no model in ${folder}`)
  const order = join(folder, 'crash-at')
  return {
    recognize(samples) {
      const words = wordsIn(samples)
      if (existsSync(order) && words.includes(readFileSync(order, 'utf8'))) {
        rmSync(order)
        process.exit(7)
      }
      if (existsSync(join(folder, 'grow'))) grown.push(Buffer.alloc(50_000_000, 1))
      const last = existsSync(join(folder, 'repeat')) ? Array.from({ length: 40 }, () => words.at(-1)!) : []
      return { text: [...words, ...last].join(' '), language: 'en' }
    },
  }
}
