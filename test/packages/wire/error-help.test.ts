import { END_CAUSES, ERROR_CODES } from '@standin/wire/codes.ts'
import { CAUSE_TABLE, ERROR_TABLE, helpOf, WHO } from '@standin/wire/error-help.ts'
import { expect, test } from 'vitest'

test.each(ERROR_CODES)('%s: the cure of each cause counts before that of the code', (code) => {
  expect(helpOf(code)).toEqual(ERROR_TABLE[code])
  expect(WHO).toContain(helpOf(code).who)
  for (const cause of END_CAUSES) {
    const { who, cure, what } = CAUSE_TABLE[cause]
    expect(helpOf(code, cause)).toEqual({ who, cure })
    expect(what).toMatch(/^[A-Z].*\.$/)
    // The network, the processes and the launchers of bots are the operator's.
    expect(who).toBe('operator')
  }
})

test('a code or cause of a newer version gets a cure too', () => {
  expect(helpOf('NEWER_CODE', 'NEWER_CAUSE')).toEqual(ERROR_TABLE.UNKNOWN_ERROR)
  expect(helpOf('LOGIN_REQUIRED', 'NEWER_CAUSE')).toEqual(ERROR_TABLE.LOGIN_REQUIRED)
})
