import { describe, expect, test } from 'vitest'
import { toNativeNames, toPublicNames } from '../../../../control-plane/api/compat/names.ts'

describe('public names', () => {
  test('a body of the newer generation gets the keys of this service', () => {
    const body = { bot_name: 'A', zoom_config: { credential_id: 'x', obf_token_url: 'https://a.test' } }
    expect(toNativeNames(body, 'v2')).toEqual({
      bot_name: 'A',
      conf_config: { credential_id: 'x', obf_token_url: 'https://a.test' },
    })
  })

  test('every public key of the older generation is translated, in both directions', () => {
    const publicBody = {
      zoom_sdk_id: 'a',
      zoom_sdk_pwd: 'b',
      zoom_obf_token: 'c',
      zoom_obf_token_url: 'd',
      zoom_obf_token_user_id: 'e',
      zoom_access_token_url: 'f',
      google_id: 'g',
    }
    const native = toNativeNames(publicBody, 'older') as Record<string, string>
    expect(Object.keys(native)).toEqual([
      'conf_sdk_id',
      'conf_sdk_pwd',
      'conf_obf_token',
      'conf_obf_token_url',
      'conf_obf_token_user_id',
      'conf_access_token_url',
      'provider_id',
    ])
    expect(toPublicNames(native, 'older')).toEqual(publicBody)
  })

  test('google_id is a word of the older generation only', () => {
    expect(toNativeNames({ google_id: 'g' }, 'v2')).toEqual({ google_id: 'g' })
    expect(toPublicNames({ provider_id: 'g' }, 'v2')).toEqual({ provider_id: 'g' })
  })

  test.each(['extra', 'raw', 'raw_payload', 'custom_params', 'transcription_custom_parameters', 'provider_metadata'])(
    'the content of %s is never changed',
    (key) => {
      const body = [{ [key]: { zoom_config: 1, conf_config: 2, error_code: 'CONF_OBF_TOKEN_ERROR' } }]
      expect(toNativeNames(body, 'older')).toEqual(body)
      expect(toPublicNames(body, 'older')).toEqual(body)
    },
  )

  test('error codes get their public words in every field for codes, and in no other', () => {
    const answer = {
      data: [{ error_code: 'CONF_OBF_TOKEN_ERROR', bot_name: 'CONF_OBF_TOKEN_ERROR' }],
      bot_data: { bot: { errors: 'SET_CONF_ID_AND_PWD_TOGETHER' } },
      code: 'CONF_ACCESS_TOKEN_ERROR',
      error: 'constructor',
    }
    expect(toPublicNames(answer, 'v2')).toEqual({
      data: [{ error_code: 'ZOOM_OBF_TOKEN_ERROR', bot_name: 'CONF_OBF_TOKEN_ERROR' }],
      bot_data: { bot: { errors: 'SET_ZOOM_ID_AND_PWD_TOGETHER' } },
      code: 'ZOOM_ACCESS_TOKEN_ERROR',
      error: 'constructor',
    })
  })

  test('the public name counts where both are given, in any order', () => {
    expect(toNativeNames({ zoom_sdk_id: 'public', conf_sdk_id: 'native' }, 'older')).toEqual({ conf_sdk_id: 'public' })
    expect(toNativeNames({ conf_sdk_id: 'native', zoom_sdk_id: 'public' }, 'older')).toEqual({ conf_sdk_id: 'public' })
  })

  test('a body of any depth is translated without a deep stack', () => {
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level++) deep = [deep]
    const { bot_name, inner } = toNativeNames({ bot_name: 'A', inner: deep }, 'v2') as Record<string, unknown>
    expect(bot_name).toBe('A')
    expect(Array.isArray(inner)).toBe(true)
  })

  test('keys of the language itself are plain keys', () => {
    const body = JSON.parse('{"constructor": 1, "toString": 2}')
    expect(toNativeNames(body, 'v2')).toEqual({ constructor: 1, toString: 2 })
  })
})
