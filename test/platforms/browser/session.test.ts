import { expect, test } from 'vitest'
import { openSessionOnce } from '../../../platforms/browser/session.ts'

const OBJECT = 's3://states/notes.json'
const never = () => new Promise<never>(() => {})
const going = () => new AbortController().signal

test('a job without a stored session has none', async () => {
  const session = openSessionOnce(null, never)
  expect(await session.load(going())).toBeNull()
  await session.dispose()
})

test('several attempts to join read the stored session once', async () => {
  let reads = 0
  const session = openSessionOnce(OBJECT, async () => {
    reads++
    return Buffer.from('{"cookies":[]}')
  })
  const first = await session.load(going())
  expect(await session.load(going())).toBe(first)
  expect(reads).toBe(1)
})

test('a session that cannot be used is a failure of the job with its code', async () => {
  const failing = expect(openSessionOnce('/dev/zero', never).load(going())).rejects
  await failing.toMatchObject({ isInvalidJob: true, message: expect.stringContaining('browser_state') })
})

test('an object that does not come ends at the deadline', async () => {
  await expect(openSessionOnce(OBJECT, never, 20).load(going())).rejects.toThrow('not read within 0.02 s')
})

test('a stop request ends the wait with its own reason', async () => {
  const stop = new AbortController()
  const loading = openSessionOnce(OBJECT, never).load(stop.signal)
  stop.abort(new Error('The bot was asked to stop'))
  await expect(loading).rejects.toThrow('asked to stop')
})
