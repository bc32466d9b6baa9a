/** Webhooks of bots that were created through `/compat` use the public words for codes. */

import type { BotRow } from '@standin/control-plane/store/rows/index.ts'
import { expect, test } from 'vitest'
import { messagesOfEnd, messagesOfStatus } from '../../../control-plane/bots/messages/index.ts'
import type { ArtifactLinks } from '../../../control-plane/platform/ports.ts'
import type { ClaimedDelivery } from '../../../control-plane/store/webhooks/delivery-claims.ts'
import { sentBody } from '../../../control-plane/webhooks/bodies.ts'
import { botRow } from '../bots/bot-row.ts'

const LINKS: ArtifactLinks = {
  publicUrl: 'https://standin.test',
  sign: async (_bot, name) => `https://files.test/${name}`,
  olderTranscript: async () => [],
}

async function sent(changes: Partial<BotRow>, isCompat: boolean, links = LINKS) {
  const bot = botRow({ status: 'failed', error_message: 'No token.', is_compat: isCompat, ...changes })
  const news = { code: 'meeting_error', at: new Date(), errorMessage: 'No token.', sourceId: 'one' }
  const messages = [...messagesOfStatus(bot, news), ...messagesOfEnd(bot, 'two')]
  const bodies = messages.map(async ({ body }) => {
    const delivery = { body, bot_id: bot.id, is_compat: isCompat, message_created_at: new Date() }
    return JSON.parse(JSON.stringify(await sentBody(delivery as unknown as ClaimedDelivery, links)))
  })
  return Promise.all(bodies)
}

test.each(['older', 'v2'])('codes of the %s generation', async (generation) => {
  const [status, end] = await sent({ generation, error_code: 'CONF_OBF_TOKEN_ERROR' }, true)
  const text = JSON.stringify([status, end])
  expect(text).toContain('ZOOM_OBF_TOKEN_ERROR')
  expect(text).not.toContain('CONF_')
  const own = JSON.stringify(await sent({ generation, error_code: 'CONF_OBF_TOKEN_ERROR' }, false))
  expect(own).toContain('CONF_OBF_TOKEN_ERROR')
  expect(own).not.toContain('ZOOM_')
})

test('the provider of a transcript is a word of this service, and null for clients of the hosted one', async () => {
  const changes = { status: 'completed', transcription_provider: 'Default' }
  const providers = async (isCompat: boolean) =>
    (await sent(changes, isCompat))
      .filter(({ event }) => event === 'bot.completed')
      .map(({ data }) => data.transcription_provider)
  expect(new Set(await providers(false))).toEqual(new Set(['default']))
  expect(new Set(await providers(true))).toEqual(new Set([null]))
})

test('a code that has one name only stays', async () => {
  const [status, end] = await sent({ generation: 'older', error_code: 'CANNOT_JOIN_MEETING' }, true)
  expect(status.data.status).toMatchObject({ code: 'meeting_error', error_type: 'CannotJoinMeeting' })
  expect(end.data).toMatchObject({ error: 'CannotJoinMeeting', message: 'No token. [CANNOT_JOIN_MEETING]' })
})

test('a file that does not exist is an empty text in the older generation, and null in the newer', async () => {
  const nothing: ArtifactLinks = { ...LINKS, sign: async () => null }
  const [, older] = await sent({ generation: 'older', status: 'completed' }, false, nothing)
  expect(older.data).toMatchObject({ mp4: '', audio: '' })
  const newer = (await sent({ status: 'completed' }, false, nothing)).find(({ event }) => event === 'bot.completed')
  expect(newer.data).toMatchObject({ video: null, audio: null })
})
