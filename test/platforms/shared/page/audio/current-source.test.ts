import { expect, test } from 'vitest'
import { createCurrentSource } from '../../../../../platforms/shared/page/audio/current-source.ts'

function stream() {
  let now = 0
  let entries: { source: number; timestamp: number }[] = []
  const read = createCurrentSource(() => now)
  const receiver = {
    getContributingSources: () => entries as RTCRtpContributingSource[],
  }
  return {
    at(time: number, ...next: [source: number, timestamp: number][]) {
      now = time
      entries = next.map(([source, timestamp]) => ({ source, timestamp }))
      return read(receiver)
    },
  }
}

test('the source of the newest packet is the one that is heard', () => {
  const { at } = stream()
  at(0, [7, 5000])
  expect(at(20, [7, 5020])).toBe(7)
  expect(at(40, [7, 5020], [9, 5040])).toBe(9)
})

test('an entry that stays behind after the last word has no owner', () => {
  const { at } = stream()
  at(0, [7, 5000])
  expect(at(20, [7, 5020])).toBe(7)
  expect(at(200, [7, 5020])).toBeNull()
})

test('an entry that is left over at the first poll, and two sources of one packet, have no owner', () => {
  const { at } = stream()
  expect(at(0, [7, 5000])).toBeNull()
  expect(at(20, [7, 5020], [9, 5020])).toBeNull()
})
