import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MAX_JOB_BYTES } from '@standin/wire/job.ts'
import { expect, onTestFinished, test } from 'vitest'
import type { fetchPublic } from '../../../packages/core/network/safe-fetch.ts'
import { UnexpectedStatus } from '../../../packages/core/network/safe-fetch.ts'
import { downloadJob, JOB_FETCH_MS, type JobAddress } from '../../../src/cli/job-address.ts'
import { downloadedJob, jobFrom } from '../../../src/cli/job-options.ts'
import { HandClock } from '../../fakes/clock.ts'

const TOKEN = 'one-time-s3cret'
const ADDRESS: JobAddress = { url: 'https://c.test/jobs/1', token: TOKEN, from: '--job-url', trustsPrivate: false }

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Answers with each of these in turn; the last one stays. */
function scripted(...answers: (Error | string)[]) {
  let calls = 0
  const fetch: typeof fetchPublic = async () => {
    const answer = answers[Math.min(calls++, answers.length - 1)]!
    if (answer instanceof Error) throw answer
    return Buffer.from(answer)
  }
  return { fetch, calls: () => calls }
}

const status = (code: number) => new UnexpectedStatus('c.test', code)
const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => 'resolved',
    (error: Error) => error.message,
  )

test('a job is fetched with the one-time token as a bearer token', async () => {
  const asked: string[] = []
  const url = await serve((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    response.end('{"bot_name":"From address"}')
  })
  const environment = { STANDIN_JOB_URL: `${url}/jobs/1`, STANDIN_JOB_TOKEN: TOKEN, STANDIN_PRIVATE_ADDRESSES: 'allow' }
  const downloaded = await downloadedJob({}, environment)
  expect(jobFrom(undefined, {}, environment, undefined, downloaded)).toMatchObject({ bot_name: 'From address' })
  expect(asked).toEqual([`GET /jobs/1 Bearer ${TOKEN}`])
})

test('the host of the address may be permitted alone; another host stays refused', async () => {
  const url = await serve((_request, response) => response.end('{}'))
  const environmentOf = (hosts: string) => ({
    STANDIN_JOB_URL: `${url}/jobs/1`,
    STANDIN_JOB_TOKEN: TOKEN,
    STANDIN_PRIVATE_ADDRESSES: hosts,
  })
  expect(await downloadedJob({}, environmentOf(`other.test,${new URL(url).host}`))).toBe('{}')
  expect(await messageOf(downloadedJob({}, environmentOf('other.test')))).toContain('only https addresses are fetched')
})

test('a redirect is not followed', async () => {
  const seen: string[] = []
  const url = await serve((request, response) => {
    seen.push(request.url!)
    response.writeHead(302, { location: '/elsewhere' }).end()
  })
  const message = await messageOf(downloadJob({ ...ADDRESS, url: `${url}/jobs/1`, trustsPrivate: true }))
  expect(message).toContain('status 302: a redirect is not followed with a token')
  expect(seen).toEqual(['/jobs/1'])
})

test('a job that is too large is refused without another try', async () => {
  let calls = 0
  const url = await serve((_request, response) => {
    calls += 1
    response.end(Buffer.alloc(MAX_JOB_BYTES + 1, 'x'))
  })
  const message = await messageOf(downloadJob({ ...ADDRESS, url, trustsPrivate: true }))
  expect(message).toContain(`sent more than ${MAX_JOB_BYTES} bytes`)
  expect(calls).toBe(1)
})

test.each(['http://c.test/jobs/1', 'https://127.0.0.1/jobs/1', 'https://localhost/jobs/1'])(
  '%s is refused without another try unless the operator allows private addresses',
  async (url) => {
    expect(await messageOf(downloadJob({ ...ADDRESS, url }))).toMatch(/^--job-url: .*(only https|not a public address)/)
  },
)

test.each([
  [401, 'refuses the token in STANDIN_JOB_TOKEN'],
  [403, 'refuses the token in STANDIN_JOB_TOKEN'],
  [404, 'has no job at this address'],
  [410, 'the job was used already'],
  [400, 'c.test answered with status 400'],
])('status %i is final: %s', async (code, reason) => {
  const { fetch, calls } = scripted(status(code))
  const message = await messageOf(downloadJob(ADDRESS, { fetch, clock: new HandClock() }))
  expect(message).toContain(reason)
  expect(message).not.toContain(TOKEN)
  expect(calls()).toBe(1)
})

test('network faults and servers that are away are tried again', async () => {
  const clock = new HandClock()
  const { fetch, calls } = scripted(new Error('c.test could not be asked'), status(503), status(429), '{}')
  const text = downloadJob(ADDRESS, { fetch, clock })
  await clock.advance(10_000)
  expect(await text).toBe('{}')
  expect(calls()).toBe(4)
})

test('past the limit the last reason is reported', async () => {
  const clock = new HandClock()
  const { fetch } = scripted(status(503))
  const failed = messageOf(downloadJob(ADDRESS, { fetch, clock }))
  await clock.advance(JOB_FETCH_MS)
  expect(await failed).toBe('--job-url: the job could not be fetched within 60 s: c.test answered with status 503')
})

test.each([
  [{ url: 'file:///etc/passwd' }, '--job-url: must be an address that starts with https://'],
  [{ token: undefined }, 'STANDIN_JOB_TOKEN: is missing'],
  [{ token: 'two\nlines' }, 'STANDIN_JOB_TOKEN: must not contain spaces'],
])('%o is refused before anything is asked', async (changes, message) => {
  const { fetch, calls } = scripted('{}')
  expect(await messageOf(downloadJob({ ...ADDRESS, ...changes }, { fetch }))).toContain(message)
  expect(calls()).toBe(0)
})
