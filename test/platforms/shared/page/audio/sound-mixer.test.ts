import { expect, test } from 'vitest'
import { createSoundMixer } from '../../../../../platforms/shared/page/audio/sound-mixer.ts'

function mixer() {
  const heard: { value: number; at: number }[] = []
  const { add, remove } = createSoundMixer<string>(({ samples, at }) => heard.push({ value: samples[200]!, at }))
  /** Each of these tracks has a piece of this value. */
  const play = (at: number, values: Record<string, number>) => {
    for (const [track, value] of Object.entries(values)) add(track, { samples: new Float32Array(480).fill(value), at })
  }
  return { play, remove, heard }
}

test('one track passes at once', () => {
  const { play, heard } = mixer()
  play(1000, { a: 0.25 })
  play(1010, { a: 0.5 })
  expect(heard).toEqual([
    { value: 0.25, at: 1000 },
    { value: 0.5, at: 1010 },
  ])
})

test('tracks are added up, and too much is cut', () => {
  const { play, heard } = mixer()
  play(990, { a: 0, b: 0 })
  play(1000, { a: 0.25, b: 0.5 })
  play(1010, { a: 0.75, b: 0.75 })
  play(1020, { a: -0.75, b: -0.75 })
  expect(heard.slice(-3).map(({ value }) => value)).toEqual([0.75, 1, -1])
})

test('a track that stopped is waited for 30 ms once, and heard again when it comes back', () => {
  const { play, heard } = mixer()
  play(980, { a: 0, b: 0.5 })
  play(990, { a: 0.125, b: 0.5 })
  heard.length = 0
  play(1000, { a: 0.125 })
  play(1010, { a: 0.125 })
  expect(heard.every(({ value }) => value !== 0.125)).toBe(true)
  for (let at = 1020; at < 1100; at += 10) play(at, { a: 0.125 })
  const alone = heard.length
  expect(heard.at(-1)).toMatchObject({ value: 0.125 })
  play(1100, { a: 0.125 })
  expect(heard).toHaveLength(alone + 1)
  play(1110, { b: 0.5, a: 0.125 })
  expect(heard.some(({ value }) => value === 0.625)).toBe(true)
})

test('a track that went away does not delay the others', () => {
  const { play, remove, heard } = mixer()
  play(1000, { a: 0.5, b: 0.5 })
  play(1010, { a: 0.5 })
  heard.length = 0
  remove('b')
  play(1020, { a: 0.5 })
  expect(heard.at(-1)).toMatchObject({ value: 0.5, at: 1020 })
})
