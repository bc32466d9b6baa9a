import { jobSchema, problemsOf } from '@standin/wire/job.ts'
import type { PlatformName } from '@standin/wire/platforms.ts'
import { describe, expect, test } from 'vitest'
import { confCredentialsOf, confProblems } from '../../../packages/core/conf-credentials.ts'

const BOT_ID = '5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11'
const SDK = { conf_sdk_id: 'id', conf_sdk_pwd: 'secret' }
const URL_OF_TOKEN = 'https://tokens.example/t'

const jobOf = (fields: Record<string, unknown>) =>
  jobSchema.parse({ bot_id: BOT_ID, meeting_url: 'https://zoom.us/j/88240852079', ...fields })
const paths = (fields: Record<string, unknown>, platform: PlatformName = 'zoom') =>
  confProblems(jobOf(fields), platform).map(({ path }) => path)

describe('credentials of the SDK', () => {
  test('none: the bot is an ordinary guest', () => {
    expect(confCredentialsOf(jobOf({}))).toBeNull()
    expect(confProblems(jobOf({ conf_config: {} }), 'meet')).toEqual([])
  })

  test('of both generations of the interface mean the same', () => {
    const older = jobOf({ ...SDK, conf_obf_token_url: URL_OF_TOKEN, conf_access_token_url: URL_OF_TOKEN })
    const newer = jobOf({ ...SDK, conf_config: { obf_token_url: URL_OF_TOKEN, zak_token_url: URL_OF_TOKEN } })
    expect(confCredentialsOf(older)).toEqual(confCredentialsOf(newer))
    expect(confCredentialsOf(older)).toMatchObject({
      sdkId: 'id',
      sdkSecret: 'secret',
      onBehalfToken: { url: URL_OF_TOKEN },
      accessKey: { url: URL_OF_TOKEN },
      botId: BOT_ID,
    })
  })

  test('a token of Microsoft Teams belongs to no other platform', () => {
    expect(paths({ teams_token: 'a' }, 'zoom')).toEqual(['teams_token'])
    expect(paths({ teams_token: 'a' }, 'teams')).toEqual([])
  })

  test('a token goes before an address, and both before a stored connection', () => {
    const job = { ...SDK, conf_obf_token: 'obf', conf_obf_token_url: URL_OF_TOKEN, conf_obf_token_user_id: 'u' }
    expect(paths(job)).toEqual([])
    expect(confCredentialsOf(jobOf(job))?.onBehalfToken).toEqual({ value: 'obf' })
  })

  test('an access key goes before its address', () => {
    const job = jobOf({ ...SDK, conf_access_token: 'zak', conf_access_token_url: URL_OF_TOKEN })
    expect(confCredentialsOf(job)).toMatchObject({ onBehalfToken: null, accessKey: { value: 'zak' } })
    expect(paths({ conf_access_token: 'zak' })).toEqual(['conf_access_token'])
  })

  test.each<[what: string, fields: Record<string, unknown>, problems: string[]]>([
    ['a token without the SDK credentials', { conf_obf_token: 'obf' }, ['conf_obf_token']],
    ['the newer form of it', { conf_config: { zak_token_url: URL_OF_TOKEN } }, ['conf_config.zak_token_url']],
    ['a stored credential', { conf_config: { credential_id: BOT_ID } }, ['conf_config.credential_id']],
    ['a user of one', { conf_config: { credential_user_id: 'u' } }, ['conf_config.credential_user_id']],
    ['a stored connection', { ...SDK, conf_obf_token_user_id: 'u' }, ['conf_obf_token_user_id']],
    ['two tokens', { ...SDK, conf_obf_token: 'one', conf_config: { obf_token: 'two' } }, ['conf_obf_token']],
    [
      'an extra that no address can carry',
      { ...SDK, conf_obf_token_url: URL_OF_TOKEN, extra: { text: 'x'.repeat(7000) } },
      ['extra'],
    ],
  ])('%s is a problem', (_what, fields, problems) => {
    expect(paths(fields)).toEqual(problems)
  })

  test('resolved ones may be given beside the id from which they were resolved', () => {
    expect(paths({ ...SDK, conf_config: { credential_id: BOT_ID, obf_token: 'obf' } })).toEqual([])
  })

  test.each<PlatformName>(['meet', 'teams', 'jitsi'])(
    'are refused for %s, by every name that was given',
    (platform) => {
      const fields = { ...SDK, conf_config: { obf_token: 'obf' } }
      expect(paths(fields, platform)).toEqual(['conf_sdk_id', 'conf_sdk_pwd', 'conf_config.obf_token'])
    },
  )

  test('one without the other is reported with the code of the specification', () => {
    for (const field of ['conf_sdk_id', 'conf_sdk_pwd']) {
      const parsed = jobSchema.safeParse({ bot_id: BOT_ID, meeting_url: 'x', [field]: 'value' })
      expect(parsed.success).toBe(false)
      const [problem] = problemsOf(parsed.error!)
      expect(problem!.message).toMatch(/^SET_CONF_ID_AND_PWD_TOGETHER: /)
    }
  })

  test('addresses of tokens are those of web servers', () => {
    const parsed = jobSchema.safeParse({
      bot_id: BOT_ID,
      meeting_url: 'x',
      ...SDK,
      conf_obf_token_url: 'ftp://tokens.example',
    })
    expect(problemsOf(parsed.error!).map(({ path }) => path)).toEqual(['conf_obf_token_url'])
  })
})
