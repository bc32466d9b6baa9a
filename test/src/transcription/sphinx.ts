/** Recognition for real: what pocketsphinx hears, one word a line with its times. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface SphinxWord {
  word: string
  start: number
  end: number
  probability: number
}

/** Several services are sent the same recording; it is listened to once. */
const heard = new Map<string, Promise<SphinxWord[]>>()

/** `format` is ffmpeg's options for raw bytes; none for a file that names its format itself. */
export function listen(sound: Uint8Array, format: readonly string[] = []): Promise<SphinxWord[]> {
  const key = createHash('sha256').update(sound).update(format.join(' ')).digest('hex')
  const known = heard.get(key) ?? recognize(sound, format)
  heard.set(key, known)
  return known
}

async function recognize(sound: Uint8Array, format: readonly string[]): Promise<SphinxWord[]> {
  const place = mkdtempSync(join(tmpdir(), 'standin-listen-'))
  try {
    writeFileSync(join(place, 'sound'), sound)
    const wave = join(place, 'sound.wav')
    await run('ffmpeg', ['-v', 'error', '-y', ...format, '-i', join(place, 'sound'), '-ac', '1', '-ar', '16000', wave])
    const { stdout } = await run('pocketsphinx_continuous', ['-infile', wave, '-time', 'yes', '-logfn', '/dev/null'])
    return wordsOf(stdout)
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

export function wordsOf(output: string): SphinxWord[] {
  const lines = output.matchAll(/^([a-z'-]+)(?:\(\d+\))? (\d+\.\d+) (\d+\.\d+) (\d+\.\d+)/gm)
  return [...lines].map(([, word, start, end, probability]) => ({
    ...{ word: word!, start: Number(start), end: Number(end) },
    probability: Math.min(1, Number(probability)),
  }))
}

/** Share of `wanted` that is heard, in order (longest common subsequence). */
export function shareFound(wanted: readonly string[], heard: readonly string[]): number {
  let row = new Array<number>(heard.length + 1).fill(0)
  for (const word of wanted) {
    const next = [0]
    for (let index = 0; index < heard.length; index++)
      next.push(heard[index] === word ? row[index]! + 1 : Math.max(row[index + 1]!, next[index]!))
    row = next
  }
  return row.at(-1)! / wanted.length
}
