/** An engine that recognizes real speech without a network: pocketsphinx of Debian, turn by turn. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OpenEngine } from '../../transcription/local/engine.ts'

export const openEngine: OpenEngine = async () => ({
  sampleRate: 16_000,
  begin() {
    const pieces: Buffer[] = []
    return {
      add(samples) {
        const pcm = Buffer.alloc(samples.length * 2)
        for (const [index, sample] of samples.entries()) pcm.writeInt16LE(Math.round(sample * 32_767), index * 2)
        pieces.push(pcm)
        return ''
      },
      end() {
        const place = mkdtempSync(join(tmpdir(), 'standin-sphinx-'))
        try {
          writeFileSync(join(place, 'sound'), Buffer.concat(pieces))
          const wave = join(place, 'sound.wav')
          execFileSync('ffmpeg', [
            '-v',
            'error',
            '-f',
            's16le',
            '-ar',
            '16000',
            '-ac',
            '1',
            '-i',
            join(place, 'sound'),
            wave,
          ])
          const output = execFileSync(
            'pocketsphinx_continuous',
            ['-infile', wave, '-time', 'yes', '-logfn', '/dev/null'],
            { encoding: 'utf8' },
          )
          const words = [...output.matchAll(/^([a-z'-]+)(?:\(\d+\))? (\d+\.\d+) (\d+\.\d+) \d+\.\d+/gm)].map(
            ([, word, start, end]) => ({ word: word!, start: Number(start), end: Number(end) }),
          )
          return { text: words.map(({ word }) => word).join(' '), words, language: 'en' }
        } finally {
          rmSync(place, { recursive: true, force: true })
        }
      },
    }
  },
})
