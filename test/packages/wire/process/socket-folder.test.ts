import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fitsSocket, socketParent } from '@standin/wire/process/socket-folder.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../fakes/at-end.ts'

const folder = temporaryFolder()
afterEach(() => vi.unstubAllEnvs())

/** Sets TMPDIR to a new folder below ours. */
function temporary(name: string): string {
  const place = join(folder, name)
  mkdirSync(place, { recursive: true })
  vi.stubEnv('TMPDIR', place)
  return place
}

test('the temporary folder is taken if a socket fits below it', () => {
  const place = temporary('short')
  expect(socketParent('bot/native', { isPlain: true })).toBe(place)
})

test('a folder with a blank is taken only by programs that quote', () => {
  const place = temporary('my tmp')
  expect(socketParent('bot/native')).toBe(place)
  expect(socketParent('bot/native', { isPlain: true })).toBe('/tmp')
})

test('a long folder gives way to the first of the system that fits', () => {
  temporary('x'.repeat(90))
  expect(socketParent('bot/native')).toBe('/tmp')
})

test('a folder that does not exist is not taken', () => {
  vi.stubEnv('TMPDIR', join(folder, 'missing'))
  expect(socketParent('bot/native')).toBe('/tmp')
})

test('a tail that fits nowhere is refused with a sentence', () => {
  temporary('short')
  expect(() => socketParent('x'.repeat(104))).toThrow(/^No temporary folder fits a socket: set TMPDIR/)
})

test('the limit counts bytes and the final zero', () => {
  expect(fitsSocket(`/${'x'.repeat(106)}`)).toBe(true)
  expect(fitsSocket(`/${'x'.repeat(107)}`)).toBe(false)
  expect(fitsSocket(`/${'ü'.repeat(54)}`)).toBe(false)
})
