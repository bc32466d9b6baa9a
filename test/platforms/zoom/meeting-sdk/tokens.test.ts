import { expect, test } from 'vitest'
import { addressFor, type FetchToken, getTokens } from '../../../../platforms/zoom/meeting-sdk/tokens.ts'
import { CONF } from './conf.ts'

const URL_OF_TOKEN = 'https://tokens.example/obf?key=a%2Bb'
const answering =
  (text: string, asked: string[] = []): FetchToken =>
  async (address) => {
    asked.push(address)
    return Buffer.from(text)
  }

test('without any token the signature has to do', async () => {
  expect(await getTokens(CONF, answering('x'))).toEqual({})
})

test('a token of the job goes as it is', async () => {
  expect(await getTokens({ ...CONF, onBehalfToken: { value: 'obf.1' } })).toEqual({ obfToken: 'obf.1' })
})

test('an address is requested again for each try, with parameters that identify the bot', async () => {
  const asked: string[] = []
  const conf = { ...CONF, onBehalfToken: { url: URL_OF_TOKEN }, extra: { team: 'a&b' } }
  expect(await getTokens(conf, answering(' obf.2\n', asked))).toEqual({ obfToken: 'obf.2' })
  await getTokens(conf, answering('obf.3', asked))
  expect(asked).toHaveLength(2)
  const { searchParams } = new URL(asked[0]!)
  expect(searchParams.get('bot_uuid')).toBe(CONF.botId)
  expect(searchParams.get('bot_id')).toBe(CONF.botId)
  expect(JSON.parse(searchParams.get('extra')!)).toEqual({ team: 'a&b' })
})

test('a control plane that gives new tokens is asked again for each try', async () => {
  const tokens = ['obf.1', 'obf.2', '{"token":"x"}']
  const conf = { ...CONF, onBehalfToken: { next: async () => tokens.shift()! } }
  expect(await getTokens(conf)).toEqual({ obfToken: 'obf.1' })
  expect(await getTokens(conf)).toEqual({ obfToken: 'obf.2' })
  await expect(getTokens(conf)).rejects.toMatchObject({ code: 'CONF_OBF_TOKEN_ERROR', canRetry: false })
})

test('an address that is signed itself keeps its own part to the letter', () => {
  const address = addressFor('https://t.example/x?sig=A%2fb+c%20d#part', { botId: 'b', extra: null })
  expect(address).toBe('https://t.example/x?sig=A%2fb+c%20d&bot_uuid=b&bot_id=b')
  expect(addressFor('https://t.example/x', { botId: 'b', extra: null })).toBe('https://t.example/x?bot_uuid=b&bot_id=b')
})

test('the on-behalf-of token goes first and the access key never with it', async () => {
  const conf = { ...CONF, onBehalfToken: { value: 'obf.1' }, accessKey: { url: URL_OF_TOKEN } }
  expect(await getTokens(conf, answering('zak.1'))).toEqual({ obfToken: 'obf.1' })
  expect(await getTokens({ ...conf, onBehalfToken: null }, answering('zak.1'))).toEqual({ zak: 'zak.1' })
})

test.each([
  ['nothing', '', true],
  ['JSON', '{"token":"x"}', false],
  ['a quoted text', '"x"', false],
  ['HTML', '<!doctype html>', false],
  ['two words', 'a token', false],
  ['too long a text', 'x'.repeat(5000), false],
])('an address that answers with %s gives no token', async (_what, text, canRetry) => {
  const failure = { canRetry, message: expect.stringContaining('tokens.example') }
  const obf = getTokens({ ...CONF, onBehalfToken: { url: URL_OF_TOKEN } }, answering(text))
  await expect(obf).rejects.toMatchObject({ ...failure, code: 'CONF_OBF_TOKEN_ERROR' })
  const zak = getTokens({ ...CONF, accessKey: { url: URL_OF_TOKEN } }, answering(text))
  await expect(zak).rejects.toMatchObject({ ...failure, code: 'CONF_ACCESS_TOKEN_ERROR' })
})

test('an address that cannot be reached is reported without its query, and may be requested again', async () => {
  const broken: FetchToken = async () => {
    throw new Error('tokens.example answered with status 500')
  }
  const failed = getTokens({ ...CONF, accessKey: { url: URL_OF_TOKEN } }, broken)
  await expect(failed).rejects.toMatchObject({ code: 'CONF_ACCESS_TOKEN_ERROR', canRetry: true })
  await failed.catch((error: Error) => expect(error.message).not.toContain('key='))
})

test('addresses inside the own network are not asked', async () => {
  const failed = getTokens({ ...CONF, onBehalfToken: { url: 'https://127.0.0.1/token' } })
  await expect(failed).rejects.toMatchObject({
    code: 'CONF_OBF_TOKEN_ERROR',
    message: expect.stringContaining('not a public address'),
  })
})
