import { jobSchema } from '@standin/wire/job.ts'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { redact, redactText } from '../../../../packages/core/logger.ts'
import { registerSecrets, secretsIn } from '../../../../packages/core/process/known-secrets.ts'

afterEach(() => registerSecrets())

const SECRET = 'pl"ain & w0rds/='

test.each([
  ['as it is', SECRET],
  ['in an address', `https://x.test/?a=${encodeURIComponent(SECRET)}`],
  ['in JSON', JSON.stringify({ anything: SECRET })],
  ['in HTML', '<b>pl&quot;ain &amp; w0rds/=</b>'],
  ['in base64', `it said ${Buffer.from(SECRET).toString('base64')}`],
])('a secret of the job is redacted %s, without a name that gives it away', (_, text) => {
  registerSecrets({ conf_sdk_pwd: SECRET })
  expect(redactText(text)).toContain('[redacted]')
  expect(redactText(text)).not.toMatch(/w0rds|d29yZHM|dzByZHM/)
})

test('error texts, causes and deep fields are searched too', () => {
  registerSecrets({ control_plane: { token: 'abcDEF-plane-1' } })
  const error = new Error('refused abcDEF-plane-1', { cause: new Error('abcDEF-plane-1') })
  expect(JSON.stringify(redact({ a: { error }, 'abcDEF-plane-1': 1 }))).not.toContain('abcDEF-plane-1')
})

test('a short secret is redacted only as a separate word', () => {
  registerSecrets({ url: 'https://zoom.us/j/99?pwd=123456' })
  expect(redactText('typed 123456, at 1123456789')).toBe('typed [redacted], at 1123456789')
})

test('what is no secret stays: names, links without secrets, very short values', () => {
  const job = { bot_name: 'Notes for Ann', meeting_url: 'https://meet.google.com/abc-defg-hij?hl=en', token: 'ab' }
  registerSecrets(job)
  expect(redactText('Notes for Ann at abc-defg-hij ab en')).toBe('Notes for Ann at abc-defg-hij ab en')
})

test('the list of a later job replaces the earlier one', () => {
  registerSecrets({ token: 'first-token-1' })
  registerSecrets({ token: 'second-token-2' })
  expect(redactText('first-token-1 second-token-2')).toBe('first-token-1 [redacted]')
})

interface Shape {
  properties?: Record<string, Shape>
  anyOf?: Shape[]
  oneOf?: Shape[]
  allOf?: Shape[]
}

/** Names of all fields of the schema that hold no further fields, with a job that has only that field. */
function leaves(shape: Shape, path: string[] = []): string[][] {
  const inner = [...(shape.anyOf ?? []), ...(shape.oneOf ?? []), ...(shape.allOf ?? [])]
  const own = Object.entries(shape.properties ?? {})
  if (own.length === 0 && inner.length === 0) return [path]
  return [
    ...own.flatMap(([name, next]) => leaves(next, [...path, name])),
    ...inner.flatMap((next) => leaves(next, path)),
  ]
}

test('each field of the job schema that holds a secret is known', () => {
  const names = leaves(z.toJSONSchema(jobSchema, { io: 'input', unrepresentable: 'any' }) as Shape)
  const nested = (path: string[], value: string): unknown =>
    path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)
  const known = new Set(
    names.filter((path) => secretsIn(nested(path, 'some-value-1')).length > 0).map((path) => path.join('.')),
  )
  expect([...known].sort()).toMatchInlineSnapshot(`
    [
      "agent.api_key",
      "agent.webhook_secret",
      "conf_access_token",
      "conf_access_token_url",
      "conf_config.credential_id",
      "conf_config.credential_user_id",
      "conf_config.obf_token",
      "conf_config.obf_token_url",
      "conf_config.zak_token_url",
      "conf_fresh_tokens",
      "conf_obf_token",
      "conf_obf_token_url",
      "conf_obf_token_user_id",
      "conf_sdk_id",
      "conf_sdk_pwd",
      "control_plane.token",
      "storage.access_key_id",
      "storage.secret_access_key",
      "storage.session_token",
      "teams_fresh_tokens",
      "teams_token",
      "transcription.api_key",
      "voice_api_key",
    ]
  `)
})
