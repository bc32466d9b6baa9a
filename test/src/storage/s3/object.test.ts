import type { LookupFunction } from 'node:net'
import { expect, test } from 'vitest'
import { readS3Object } from '../../../../src/storage/s3/object.ts'
import type { S3Config } from '../../../../src/storage/s3/session.ts'
import { configOf, serve } from '../faulty-server.ts'
import { never, rejectionOf } from '../place.ts'

const CONTENT = Buffer.from('{"cookies": []}')
async function withObject(): Promise<S3Config> {
  const server = await serve()
  server.state.put('accounts/notes.json', CONTENT, 'application/json', false)
  return configOf(server)
}

test('an object is read whole', async () => {
  const bytes = await readS3Object(await withObject(), 'accounts/notes.json', 1000, never)
  expect(Buffer.from(bytes).equals(CONTENT)).toBe(true)
})

test('an object that is larger than the bound is refused', async () => {
  const error = await rejectionOf(readS3Object(await withObject(), 'accounts/notes.json', 10, never))
  expect(error.message).toContain('larger than 10 bytes')
})

test('one that is not there is named', async () => {
  const error = await rejectionOf(readS3Object(await withObject(), 'accounts/other.json', 1000, never))
  expect(error).toMatchObject({ trouble: 'missing', message: expect.stringContaining('accounts/other.json') })
})

test('the name of the endpoint is resolved as the caller wants', async () => {
  const place = await withObject()
  const asked: string[] = []
  const lookup: LookupFunction = (hostname, _options, callback) => {
    asked.push(hostname)
    callback(Object.assign(new Error(`${hostname} is not a public address`), { code: 'EACCES' }), '')
  }
  const endpoint = place.endpoint!.replace('127.0.0.1', 'localhost')
  const reading = readS3Object({ ...place, endpoint }, 'accounts/notes.json', 1000, never, { lookup })
  expect((await rejectionOf(reading)).message).toContain('not a public address')
  expect(asked).toEqual(['localhost'])
})
