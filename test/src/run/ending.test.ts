import { expect, test } from 'vitest'
import { silentLogger } from '../../../packages/core/logger.ts'
import { Ending } from '../../../src/run/ending.ts'

test('the first reason to end wins, also over one that comes before the first is handled', async () => {
  const ending = new Ending(silentLogger)
  const handled = ending.whenEnded()
  ending.propose({ code: 'BOT_REMOVED', message: 'The host removed the bot from the meeting.' })
  ending.propose({ code: 'INTERNAL_ERROR', message: 'The browser broke.' })
  expect((await handled).code).toBe('BOT_REMOVED')
  expect(ending.first?.code).toBe('BOT_REMOVED')
  expect(ending.signal.reason).toMatchObject({ message: 'The host removed the bot from the meeting.' })
})

test('a later request to leave at once keeps the first reason and skips the manners', () => {
  const ending = new Ending(silentLogger)
  ending.propose({ code: 'API_REQUEST', message: 'Asked to leave.', askedBy: 'command' })
  expect(ending.hurry.aborted).toBe(false)
  ending.propose({ code: 'API_REQUEST', message: 'Asked again.', askedBy: 'interrupt', atOnce: true })
  expect(ending.hurry.aborted).toBe(true)
  expect(ending.first?.message).toBe('Asked to leave.')
})
