import { nearestOf } from '@standin/control-plane/platform/nearest.ts'
import { expect, test } from 'vitest'

test.each([
  ['launchr', 'launcher'],
  ['lancher', 'launcher'],
  ['laumcher', 'launcher'],
  ['prot', 'port'],
  ['proot', null],
  ['porta', 'port'],
  ['a-rather-long-optoin-name', 'a-rather-long-option-name'],
  ['something else', null],
])('%s', (word, meant) => {
  expect(nearestOf(word, ['port', 'launcher', 'a-rather-long-option-name'])).toBe(meant)
})

test('the nearest of several near ones', () => {
  expect(nearestOf('BOT_CPUS_', ['BOT_CPU', 'BOT_CPUS'])).toBe('BOT_CPUS')
})
