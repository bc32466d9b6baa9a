import { END_CAUSES, ERROR_CODES, NORMAL_END_CODES } from '@standin/wire/codes.ts'
import { MEETING_PLATFORMS } from '@standin/wire/platforms.ts'
import { REASON_TABLE, REASONS, reasonOfFailure } from '@standin/wire/reasons.ts'
import { expect, test } from 'vitest'

test.each(REASONS)('%s has its sentences, and the end codes and platforms on which it may occur', (reason) => {
  const { title, host, developer, setting, codes, platforms } = REASON_TABLE[reason]
  expect(title).toMatch(/^[A-Z][^.]*[^.]$/)
  for (const sentence of [host, developer, setting]) expect(sentence).toMatch(/^[A-Z].*\.$/)
  expect(codes.length).toBeGreaterThan(0)
  expect(new Set([...NORMAL_END_CODES, ...ERROR_CODES])).toEqual(
    new Set([...NORMAL_END_CODES, ...ERROR_CODES, ...codes]),
  )
  expect(platforms.length).toBeGreaterThan(0)
  expect(MEETING_PLATFORMS).toEqual(expect.arrayContaining([...platforms]))
  // A host reads neither codes nor names of fields.
  expect(host).not.toMatch(/_/)
})

test('no two reasons say the same', () => {
  for (const field of ['title', 'host', 'developer'] as const)
    expect(new Set(REASONS.map((reason) => REASON_TABLE[reason][field])).size).toBe(REASONS.length)
  expect(REASONS.filter((reason) => (END_CAUSES as readonly string[]).includes(reason))).toEqual([])
})

test('a join that was refused for no known reason says so, and other failures have none', () => {
  expect(reasonOfFailure('BOT_NOT_ACCEPTED', undefined)).toBe('unknown')
  expect(reasonOfFailure('BOT_NOT_ACCEPTED', 'captcha')).toBe('captcha')
  expect(reasonOfFailure('STREAMING_SETUP_FAILED', undefined)).toBeUndefined()
  expect(reasonOfFailure('EXITING_MEETING_BEFORE_RECORD', undefined)).toBeUndefined()
})
