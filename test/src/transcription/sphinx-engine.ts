/** An engine that recognizes real speech without a network: pocketsphinx of Debian, turn by turn. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OpenEngine } from '../../../src/speech/engine.ts'
import { wordsOf } from './sphinx.ts'

export const openEngine: OpenEngine = async () => ({
  recognize(samples) {
    const pcm = Buffer.alloc(samples.length * 2)
    for (const [index, sample] of samples.entries()) pcm.writeInt16LE(Math.round(sample * 32_767), index * 2)
    const place = mkdtempSync(join(tmpdir(), 'standin-sphinx-'))
    try {
      const wave = join(place, 'sound.wav')
      const raw = ['-f', 's16le', '-ar', '16000', '-ac', '1', '-i', '-']
      execFileSync('ffmpeg', ['-v', 'error', ...raw, wave], { input: pcm })
      const listening = ['-infile', wave, '-time', 'yes', '-logfn', '/dev/null']
      const words = wordsOf(execFileSync('pocketsphinx_continuous', listening, { encoding: 'utf8' }))
      return { text: words.map(({ word }) => word).join(' '), words, language: 'en' }
    } finally {
      rmSync(place, { recursive: true, force: true })
    }
  },
})
