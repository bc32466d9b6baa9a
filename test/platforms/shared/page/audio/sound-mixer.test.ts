import { expect, test } from 'vitest'
import { createSoundMixer } from '../../../../../platforms/shared/page/audio/sound-mixer.ts'
import type { Heard } from '../../../../../platforms/shared/page/audio/track-reader.ts'

const piece = (value: number, at: number): Heard => ({ samples: new Float32Array(480).fill(value), at })

function mixer() {
  const heard: { value: number; at: number }[] = []
  const made = createSoundMixer<string>(({ samples, at }) => heard.push({ value: samples[200]!, at }))
  return { ...made, heard }
}

test('one track passes at once', () => {
  const { add: take, heard } = mixer()
  take('a', piece(0.25, 1000))
  take('a', piece(0.5, 1010))
  expect(heard).toEqual([
    { value: 0.25, at: 1000 },
    { value: 0.5, at: 1010 },
  ])
})

test('tracks are added up, and too much is cut', () => {
  const { add: take, heard } = mixer()
  take('a', piece(0, 990))
  take('b', piece(0, 990))
  heard.length = 0
  for (const [index, values] of [
    [0.25, 0.5],
    [0.75, 0.75],
    [-0.75, -0.75],
  ].entries()) {
    take('a', piece(values[0]!, 1000 + index * 10))
    take('b', piece(values[1]!, 1000 + index * 10))
  }
  expect(heard.slice(-3).map(({ value }) => value)).toEqual([0.75, 1, -1])
})

test('a track that stopped is waited for 30 ms once, and heard again when it comes back', () => {
  const { add: take, heard } = mixer()
  take('a', piece(0, 980))
  take('b', piece(0.5, 980))
  take('a', piece(0.125, 990))
  take('b', piece(0.5, 990))
  heard.length = 0
  take('a', piece(0.125, 1000))
  take('a', piece(0.125, 1010))
  expect(heard.every(({ value }) => value !== 0.125)).toBe(true)
  for (let at = 1020; at < 1100; at += 10) take('a', piece(0.125, at))
  const alone = heard.length
  expect(heard.at(-1)).toMatchObject({ value: 0.125 })
  take('a', piece(0.125, 1100))
  expect(heard).toHaveLength(alone + 1)
  take('b', piece(0.5, 1110))
  take('a', piece(0.125, 1110))
  expect(heard.some(({ value }) => value === 0.625)).toBe(true)
})

test('a track that went away does not delay the others', () => {
  const { add: take, remove, heard } = mixer()
  take('a', piece(0.5, 1000))
  take('b', piece(0.5, 1000))
  take('a', piece(0.5, 1010))
  heard.length = 0
  remove('b')
  take('a', piece(0.5, 1020))
  expect(heard.at(-1)).toMatchObject({ value: 0.5, at: 1020 })
})
