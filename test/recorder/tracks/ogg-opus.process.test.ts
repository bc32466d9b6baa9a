import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { PACKET, writtenOgg } from '../../media/ogg.ts'

/** Seconds that a decoder makes of it. */
function decodedSeconds(file: Buffer): number {
  const args = ['-v', 'warning', '-xerror', '-i', 'pipe:0', '-ac', '1', '-ar', '48000', '-f', 's16le', '-']
  const pcm = execFileSync('ffmpeg', args, { input: file, maxBuffer: 2 ** 30 })
  return pcm.length / 2 / 48_000
}

test('packets and silence play for exactly as long as they say', () => {
  const file = writtenOgg((ogg) => {
    ogg.addSilenceUntil(48_000 * 61 + 330)
    for (let packet = 0; packet < 120; packet++) ogg.add(PACKET, 960)
    ogg.addSilenceUntil(48_000 * 70)
    ogg.end()
  })
  // Silence comes in steps of 2.5 ms; the 6.5 ms that every decoder leaves out at the front come off the end.
  expect(Math.abs(decodedSeconds(file) - (70 - 0.0065))).toBeLessThan(0.003)
})
