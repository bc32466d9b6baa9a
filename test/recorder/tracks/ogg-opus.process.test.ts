import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { OggOpus } from '../../../recorder/tracks/ogg-opus.ts'

/** 20 ms of silence, as a packet that another program might have sent. */
const PACKET = Uint8Array.of(0xf8, 0xff, 0xfe)

function written(make: (ogg: OggOpus) => void): Buffer {
  const pages: Buffer[] = []
  make(new OggOpus(7, (page) => pages.push(page)))
  return Buffer.concat(pages)
}

function onDisk(file: Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'standin-ogg-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'voice.ogg')
  writeFileSync(path, file)
  return path
}

/** Seconds that a decoder makes of it. */
function decodedSeconds(file: Buffer): number {
  const path = onDisk(file)
  const pcm = execFileSync('ffmpeg', ['-v', 'warning', '-i', path, '-ac', '1', '-ar', '48000', '-f', 's16le', '-'], {
    maxBuffer: 2 ** 30,
  })
  return pcm.length / 2 / 48_000
}

test('packets and silence play for exactly as long as they say', () => {
  const file = written((ogg) => {
    ogg.addSilenceUntil(48_000 * 61 + 330)
    for (let packet = 0; packet < 120; packet++) ogg.add(PACKET, 960)
    ogg.addSilenceUntil(48_000 * 70)
    ogg.end()
  })
  // Silence comes in steps of 2.5 ms; the 6.5 ms that every decoder leaves out at the front come off the end.
  expect(Math.abs(decodedSeconds(file) - (70 - 0.0065))).toBeLessThan(0.003)
})

test('a file that was never ended plays to its last whole page', () => {
  const file = written((ogg) => {
    ogg.addSilenceUntil(48_000 * 5)
    for (let packet = 0; packet < 275; packet++) ogg.add(PACKET, 960)
  })
  expect(decodedSeconds(file)).toBeCloseTo(10, 1)
})

test('four hours of silence cost two megabytes and no wait', () => {
  const file = written((ogg) => {
    ogg.addSilenceUntil(48_000 * 4 * 3600)
    ogg.end()
  })
  expect(file.byteLength).toBeLessThan(2_000_000)
  const shown = execFileSync('ffprobe', [
    '-v',
    'error',
    '-show_entries',
    'format=duration',
    '-of',
    'csv=p=0',
    onDisk(file),
  ])
  expect(Number(shown)).toBeCloseTo(4 * 3600, 0)
})

test('packets longer than a lacing value keep their bytes', () => {
  const long = Uint8Array.from({ length: 1275 }, (_, index) => (index === 0 ? 0xf8 : index % 251))
  const exact = Uint8Array.from({ length: 510 }, (_, index) => (index === 0 ? 0xf8 : index % 251))
  const file = written((ogg) => {
    for (let packet = 0; packet < 60; packet++) ogg.add(packet % 2 ? long : exact, 960)
    ogg.end()
  })
  expect(packetsOf(file).slice(2)).toEqual(
    Array.from({ length: 60 }, (_, packet) => Buffer.from(packet % 2 ? long : exact)),
  )
})

/** By the lacing values of RFC 3533; also checks that pages follow each other. */
function packetsOf(file: Buffer): Buffer[] {
  const packets: Buffer[] = []
  const parts: Buffer[] = []
  for (let at = 0, page = 0; at < file.length; page++) {
    expect(file.toString('latin1', at, at + 4)).toBe('OggS')
    expect(file.readUInt32LE(at + 18)).toBe(page)
    const lacing = file.subarray(at + 27, at + 27 + file[at + 26]!)
    at += 27 + lacing.length
    for (const length of lacing) {
      parts.push(file.subarray(at, at + length))
      at += length
      if (length < 255) packets.push(Buffer.concat(parts.splice(0)))
    }
  }
  return packets
}
