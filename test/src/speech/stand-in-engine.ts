/**
 * An engine that recognizes the words of `wordSound` by their level. The folder of its model may hold orders: `crash-at`
 * and `hang-at` name a word, once; `repeat` makes it say the last word again and again; `grow` makes its process take memory; `slow` has
 * the milliseconds of a turn.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
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
  const isAt = (order: string, words: readonly string[]) => {
    const file = join(folder, order)
    if (!existsSync(file) || !words.includes(readFileSync(file, 'utf8'))) return false
    rmSync(file)
    return true
  }
  return {
    async recognize(samples) {
      if (existsSync(join(folder, 'slow'))) await delay(Number(readFileSync(join(folder, 'slow'), 'utf8')))
      const words = wordsIn(samples)
      if (isAt('crash-at', words)) process.exit(7)
      if (isAt('hang-at', words)) await new Promise(() => {})
      if (existsSync(join(folder, 'grow'))) grown.push(Buffer.alloc(50_000_000, 1))
      const last = existsSync(join(folder, 'repeat')) ? Array.from({ length: 40 }, () => words.at(-1)!) : []
      return { text: [...words, ...last].join(' '), language: 'en' }
    },
  }
}
