import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type S3Server, type S3ServerOptions, startS3Server, storeSettingsOf } from '../../servers/s3-server.ts'
import { openKeys, prefixKeysContract, type WithRole } from './prefix-keys-contract.ts'

const ROLE = 'arn:aws:iam::123456789012:role/bots'

const settingsOf = (of: S3Server): WithRole => ({ ...storeSettingsOf(of), roleArn: ROLE })

let server: S3Server
beforeAll(async () => {
  server = await startS3Server({ roles: { arn: ROLE, maxSeconds: 3600 } })
})
afterAll(() => server.close())

prefixKeysContract('the S3 server of the tests', () => settingsOf(server))

async function problemOf(options: S3ServerOptions, changes: Partial<WithRole> = {}): Promise<string> {
  const other = await startS3Server(options)
  onTestFinished(() => other.close())
  const { checkKeys } = await openKeys({ ...settingsOf(other), ...changes })
  return checkKeys!().then(
    () => 'none',
    (error) => error.message,
  )
}

test.for([
  [
    'another role',
    { roles: { arn: `${ROLE}2`, maxSeconds: 3600 } },
    'STS refuses the role of STANDIN_STORAGE_ROLE (AccessDenied 403): its trust policy has to name the identity of the service',
  ],
  [
    'a role with few rights',
    { roles: { arn: ROLE, maxSeconds: 3600, isReadOnly: true } },
    'The role of STANDIN_STORAGE_ROLE cannot write below s3://recordings/all/of it/ (AccessDenied): its policy has to allow it',
  ],
  [
    'a provider without STS',
    {},
    'STS gives no keys for the role of STANDIN_STORAGE_ROLE (MethodNotAllowed 405). The role may not exist, or the provider has no STS (then unset STANDIN_STORAGE_ROLE) or has it elsewhere (AWS_ENDPOINT_URL_STS)',
  ],
  [
    'a provider that ignores session policies',
    { roles: { arn: ROLE, maxSeconds: 3600, ignoresPolicies: true } },
    "The provider gives keys that open more than one bot's files: it ignores session policies",
  ],
] as const)('%s is found at the start, with the setting and the cure', async ([, options, problem]) => {
  expect(await problemOf(options)).toContain(problem)
})

test('what is no STS at all is named as that', async () => {
  const web = createServer((_, response) => response.end('<html>Welcome</html>'))
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void web.close())
  const stsEndpoint = `http://127.0.0.1:${(web.address() as AddressInfo).port}`
  expect(await problemOf({}, { stsEndpoint })).toContain('AWS_ENDPOINT_URL_STS')
  web.close()
  expect(await problemOf({}, { stsEndpoint: 'http://127.0.0.1:9' })).toContain('AWS_ENDPOINT_URL_STS')
})

test('the words of the provider stay in the cause: callers see the sentence', async () => {
  const other = await startS3Server({ roles: { arn: `${ROLE}2`, maxSeconds: 3600 } })
  onTestFinished(() => other.close())
  const { store } = await openKeys(settingsOf(other))
  const error = await store.prefixKeys!('bot', 1).catch((caught) => caught)
  expect(error.message).not.toContain('123456789012')
  expect(error.cause.message).toContain('123456789012')
})

test('a bot that asks again at once gets the same keys, and another attempt does not', async () => {
  const { store } = await openKeys(settingsOf(server))
  const count = () => server.requests.length
  const before = count()
  const [one, two, other] = await Promise.all([1, 1, 2].map((attempt) => store.prefixKeys!('same', attempt)))
  expect(count() - before).toBe(2)
  expect(two).toEqual(one)
  expect(other!.access_key_id).not.toBe(one!.access_key_id)
  expect(Date.parse(one!.keys_end_at) - Date.now()).toBeGreaterThan(3500_000)
})

test('a prefix that a policy would read as a pattern is refused', async () => {
  await expect(openKeys({ ...settingsOf(server), prefix: 'all*' })).rejects.toThrow('no policy of STANDIN_STORAGE_ROLE')
})
