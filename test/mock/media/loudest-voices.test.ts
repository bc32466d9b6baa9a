import { expect, test } from 'vitest'
import { LoudestVoices } from '../../../mock/media/loudest-voices.ts'

const LOUD = 30
const SILENT = 127

test('a speaker gets a free line and keeps it over a pause for breath', () => {
  const lines = new LoudestVoices(2)
  expect(lines.lineOf('ann', LOUD, 0)).toBe(0)
  expect(lines.lineOf('bob', LOUD, 20)).toBe(1)
  expect(lines.lineOf('ann', SILENT, 40)).toBe(0)
  expect(lines.lineOf('ann', LOUD, 300)).toBe(0)
})

test('a third voice waits until a speaker has been silent for a while', () => {
  const lines = new LoudestVoices(2)
  lines.lineOf('ann', LOUD, 0)
  lines.lineOf('bob', LOUD, 0)
  expect(lines.lineOf('cleo', LOUD, 100)).toBeNull()
  lines.lineOf('bob', LOUD, 600)
  expect(lines.lineOf('cleo', LOUD, 700)).toBe(0)
  expect(lines.lineOf('ann', LOUD, 720)).toBeNull()
})

test('silence frees no line', () => {
  const lines = new LoudestVoices(1)
  expect(lines.lineOf('ann', SILENT, 0)).toBeNull()
  expect(lines.lineOf('bob', LOUD, 20)).toBe(0)
})
