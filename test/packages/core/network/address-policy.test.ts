import { type Job, jobSchema } from '@standin/wire/job.ts'
import { expect, test } from 'vitest'
import {
  type AddressField,
  addressProblems,
  credentialProblems,
  lookupFor,
  permittedFields,
} from '../../../../packages/core/network/address-policy.ts'

const KEYS = { access_key_id: 'key', secret_access_key: 'secret' }
const s3 = (endpoint: string, keys: object = KEYS) => ({ storage: { type: 's3', bucket: 'calls', endpoint, ...keys } })

const agent = (fields: object) => {
  return { provider: 'openai_realtime', address: 'always', webhook_secret: 's', ...fields }
}
const tool = (url: string) => ({ type: 'webhook', name: url.replace(/\W/g, ''), description: 'x', url })

function jobWith(fields: object): Job {
  return jobSchema.parse({
    bot_id: '5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11',
    meeting_url: 'https://meet.google.com/abc-defg-hij',
    ...fields,
  })
}

function refused(fields: object, environment: Record<string, string> = {}, typed: AddressField[] = []): string[] {
  const job = jobWith(fields)
  return addressProblems(job, permittedFields(job, environment, typed)).map(({ path }) => path)
}

test.each([
  ['streaming.input', { streaming: { input: 'wss://10.0.0.1/' } }],
  ['streaming.output', { streaming: { output: 'ws://agent.example/' } }],
  ['control_plane.url', { control_plane: { url: 'wss://169.254.169.254/', token: 't' } }],
  ['control_plane.url', { control_plane: { url: 'ws://control.example/', token: 't' } }],
  ['storage.endpoint', s3('https://[fd00:ec2::254]/')],
  ['storage.endpoint', s3('https://0x7f000001/')],
  ['storage.endpoint', s3('http://s3.example/')],
  ['agent.url', { agent: agent({ url: 'ws://agent.example/' }) }],
  ['agent.url', { agent: agent({ url: 'wss://[::1]/' }) }],
  ['agent.tools', { agent: agent({ tools: [tool('https://example.com/'), tool('https://10.0.0.1/')] }) }],
  ['bot_image', { bot_image: 'https://192.88.99.1/a.png' }],
  ['output_media.camera.url', { output_media: { camera: { kind: 'webpage', url: 'https://[fc00::1]/' } } }],
  ['output_media.screen.url', { output_media: { screen: { kind: 'webpage', url: 'https://10.0.0.1/' } } }],
  ['conf_obf_token_url', { conf_obf_token_url: 'https://localhost/token' }],
  ['conf_access_token_url', { conf_access_token_url: 'https://127.1/token' }],
  ['conf_config.obf_token_url', { conf_config: { obf_token_url: 'https://a.localhost./token' } }],
  ['conf_config.zak_token_url', { conf_config: { zak_token_url: 'https://[::ffff:10.0.0.1]/token' } }],
] as const)('%s has to be public and encrypted unless the operator permits more', (field, fields) => {
  expect(refused(fields)).toEqual([field])
  expect(refused(fields, { STANDIN_PRIVATE_ADDRESSES: 'allow' })).toEqual([])
  expect(refused(fields, {}, [field])).toEqual([])
})

test('a picture on a permitted host does not take another one along', () => {
  const environment = { STANDIN_PRIVATE_ADDRESSES: '10.0.0.7' }
  const images = (...bot_image: string[]) => ({ bot_image })
  expect(refused(images('https://10.0.0.7/1.png', 'https://10.0.0.8/2.png'), environment)).toContain('bot_image')
  expect(refused(images('https://10.0.0.7/1.png', 'https://10.0.0.7/2.png'), environment)).toEqual([])
  expect(refused(images('https://8.8.8.8/1.png', 'https://10.0.0.8/2.png'))).toEqual(['bot_image'])
})

test('the operator permits single hosts, with or without a port', () => {
  const environment = { STANDIN_PRIVATE_ADDRESSES: 'storage:9000, 10.0.0.7' }
  expect(refused(s3('http://storage:9000'), environment)).toEqual([])
  expect(refused(s3('http://storage:9001'), environment)).toEqual(['storage.endpoint'])
  expect(refused({ control_plane: { url: 'ws://10.0.0.7:81/', token: 't' } }, environment)).toEqual([])
})

test('the keys of the operator do not go to an endpoint that only the job names', () => {
  const job = jobWith(s3('https://s3.example', {}))
  const paths = (environment: Record<string, string>, typed: AddressField[] = []) =>
    credentialProblems(job, environment, typed).map(({ path }) => path)
  expect(paths({ STANDIN_PRIVATE_ADDRESSES: 'allow' })).toEqual(['storage.access_key_id'])
  expect(paths({ AWS_ENDPOINT_URL_S3: 'https://other.example' })).toEqual(['storage.access_key_id'])
  expect(paths({ AWS_ENDPOINT_URL_S3: 'https://s3.example/' })).toEqual([])
  expect(paths({}, ['storage.endpoint'])).toEqual([])
  expect(credentialProblems(jobWith(s3('https://s3.example')), {}, [])).toEqual([])
  expect(credentialProblems(jobWith({ storage: { type: 's3', bucket: 'calls' } }), {}, [])).toEqual([])
})

test("the endpoint of the operator's own environment may be private", () => {
  expect(refused(s3('http://storage:9000', {}), { AWS_ENDPOINT_URL_S3: 'http://storage:9000' })).toEqual([])
})

test('a name that resolves to a private address is refused when it is dialed', async () => {
  const job = jobWith(s3('https://storage.example'))
  const resolve = (permitted: AddressField[], hostname: string) => {
    const { lookup } = lookupFor({ job, permitted: new Set(permitted) }, 'storage.endpoint')
    if (lookup === undefined) return 'not restricted'
    return new Promise((settle) => lookup(hostname, {}, (error) => settle(error?.message ?? 'resolved')))
  }
  expect(await resolve([], 'localhost')).toBe('localhost is not a public address')
  expect(await resolve(['storage.endpoint'], 'localhost')).toBe('not restricted')
  expect(lookupFor({ job: jobWith({}), permitted: new Set() }, 'storage.endpoint')).toEqual({})
})
