import { expect, test } from 'vitest'
import { PACKET, readOgg, writtenOgg } from '../../media/ogg.ts'

test('a pause is filled: what comes after it is heard at its time', () => {
  const spoken = Uint8Array.of(0xf8, 1, 2)
  const file = writtenOgg((ogg) => {
    for (const second of [61.006_875, 64, 70]) {
      ogg.addSilenceUntil(second * 48_000)
      for (let packet = 0; packet < 50; packet++) ogg.add(spoken, 960)
    }
    ogg.end()
  })
  const { packets, places, seconds } = readOgg(file)
  const spokenAt = places.filter((_, packet) => packets[packet]!.equals(spoken))
  expect(spokenAt).toHaveLength(150)
  // Silence comes in steps of 2.5 ms.
  for (const [index, second] of [61.006_875, 64, 70].entries()) {
    expect(second - spokenAt[index * 50]!).toBeGreaterThanOrEqual(0)
    expect(second - spokenAt[index * 50]!).toBeLessThan(0.0025)
  }
  expect(seconds).toBeCloseTo(71, 2)
})

test('a file that was never ended plays to its last whole page', () => {
  const file = writtenOgg((ogg) => {
    ogg.addSilenceUntil(48_000 * 5)
    for (let packet = 0; packet < 275; packet++) ogg.add(PACKET, 960)
  })
  expect(readOgg(file).seconds).toBeCloseTo(10, 1)
})

test('four hours of silence cost two megabytes', () => {
  const file = writtenOgg((ogg) => {
    ogg.addSilenceUntil(48_000 * 4 * 3600)
    ogg.end()
  })
  expect(file.byteLength).toBeLessThan(2_000_000)
  expect(readOgg(file).seconds).toBeCloseTo(4 * 3600, 0)
})

test('packets longer than a lacing value keep their bytes', () => {
  const [long, exact] = [1275, 510].map((length) =>
    Uint8Array.from({ length }, (_, index) => (index === 0 ? 0xf8 : index % 251)),
  )
  const sent = Array.from({ length: 60 }, (_, packet) => Buffer.from((packet % 2 ? long : exact)!))
  const file = writtenOgg((ogg) => {
    for (const packet of sent) ogg.add(packet, 960)
    ogg.end()
  })
  const { packets } = readOgg(file)
  expect(packets.map((packet, index) => packet.equals(sent[index]!))).toEqual(sent.map(() => true))
})
