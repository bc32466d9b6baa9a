import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { DRIFT_CORRECTION } from '../../recorder/ffmpeg/ffmpeg-args.ts'

const RATE = 48_000

/**
 * A beep every second of a sound card that is `factor` too slow or too fast: its samples say one second where the wall
 * clock, which the packets are stamped with, says another. Gives where the beeps are in what the recorder's filter makes.
 */
async function beepsThrough(filters: string, seconds: number): Promise<number[]> {
  const source = `aevalsrc='0.5*sin(2*PI*1000*t)*lt(mod(t,1),0.05)':s=${RATE}:d=${seconds}`
  const ffmpeg = spawn(
    'ffmpeg',
    ['-v', 'error', '-f', 'lavfi', '-i', source, '-af', filters, '-ac', '1', '-f', 'f32le', 'pipe:1'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const exit = once(ffmpeg, 'exit')
  const chunks: Buffer[] = []
  for await (const chunk of ffmpeg.stdout) chunks.push(chunk as Buffer)
  expect((await exit)[0]).toBe(0)
  const pcm = Buffer.concat(chunks)
  const beeps: number[] = []
  let lastLoud = -RATE
  for (let sample = 0; sample < pcm.length / 4; sample++) {
    if (Math.abs(pcm.readFloatLE(sample * 4)) < 0.1) continue
    if (sample - lastLoud > RATE / 2) beeps.push(sample / RATE)
    lastLoud = sample
  }
  return beeps
}

/** By how much the beeps are away from where the wall clock has them, in milliseconds. */
const worstError = (beeps: readonly number[], factor: number) =>
  Math.max(...beeps.map((at, index) => Math.abs(at - index * factor) * 1000))

test.for([0.998, 1.002])('sound of a clock that runs %f times as fast stays with the wall clock', async (factor) => {
  const seconds = 60
  const drifting = `asetnsamples=960,asetpts=PTS*${factor}`
  // 120 ms apart after a minute, were it left alone.
  expect(worstError(await beepsThrough(drifting, seconds), factor)).toBeGreaterThan(100)
  const beeps = await beepsThrough(`${drifting},${DRIFT_CORRECTION}`, seconds)
  expect(beeps).toHaveLength(seconds)
  expect(worstError(beeps, factor)).toBeLessThan(30)
})

test('the slow drift of an ordinary clock is corrected before it is seen', async () => {
  const factor = 1.0001
  const beeps = await beepsThrough(`asetnsamples=960,asetpts=PTS*${factor},${DRIFT_CORRECTION}`, 240)
  expect(worstError(beeps, factor)).toBeLessThan(6)
})

test('a hole in the sound becomes silence of its length', async () => {
  const hole = "asetnsamples=960,asetpts='PTS+gte(T,10.5)*0.7/TB'"
  const beeps = await beepsThrough(`${hole},${DRIFT_CORRECTION}`, 20)
  expect(beeps).toHaveLength(20)
  expect(Math.abs(beeps[10]! - 10)).toBeLessThan(0.015)
  expect(Math.abs(beeps[12]! - 12.7)).toBeLessThan(0.015)
})
