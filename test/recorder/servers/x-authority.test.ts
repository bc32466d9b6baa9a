import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeXAuthority, xAuthority } from '../../../recorder/servers/x-authority.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'

test('an entry is for every address and display, and ends with the cookie', () => {
  const cookie = Uint8Array.from({ length: 16 }, (_, index) => index)
  const text = 'ffff 0000 0000 0012 4d49542d4d414749432d434f4f4b49452d31 0010 000102030405060708090a0b0c0d0e0f'
  expect(xAuthority(cookie).toString('hex')).toBe(text.replaceAll(' ', ''))
})

test('a fresh cookie replaces an older file with any mode', async () => {
  const path = join(temporaryFolder(), 'x-authority')
  writeFileSync(path, 'old')
  chmodSync(path, 0o644)
  await writeXAuthority(path)
  const first = readFileSync(path)
  expect(first.length).toBe(44)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  await writeXAuthority(path)
  expect(readFileSync(path).equals(first)).toBe(false)
})
