import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import type { ApiDependencies } from '../../../../control-plane/api/dependencies.ts'
import { olderGeneration } from '../../../../control-plane/api/older/index.ts'
import { entryOf } from '../../../../control-plane/store/audit-log.ts'
import { openWorld } from '../../world.ts'
import { olderBotRow } from './rows.ts'

type Retranscribe = NonNullable<ApiDependencies['retranscribe']>
let asked: Parameters<Retranscribe>[] = []

const world = await openWorld({
  api: {
    generations: [olderGeneration],
    retranscribe: async (...given) => {
      asked.push(given)
      // The API expects a change in the audit log.
      entryOf({ teamId: team.teamId, action: 'bot.retranscribe', target: given[0] })
      return 'started'
    },
  },
})
const team = await world.team()
beforeEach(() => {
  asked = []
})

const PATH = '/bots/retranscribe'
const bot = () => olderBotRow(world, team.teamId)

describe('POST /bots/retranscribe', () => {
  test('is accepted without a body in the answer, with and without a slash', async () => {
    const { id } = await bot()
    for (const path of [PATH, `${PATH}/`]) {
      const { status, text } = await team.post(path, { bot_uuid: id })
      expect([status, text]).toEqual([202, ''])
    }
    expect(asked).toEqual([
      [id, null, null],
      [id, null, null],
    ])
  })

  test('hands on provider, key and address', async () => {
    const { id } = await bot()
    await team.post(PATH, {
      bot_uuid: id,
      speech_to_text: { provider: 'AssemblyAI', api_key: 'key' },
      webhook_url: 'https://example.com/done',
    })
    await team.post(PATH, { bot_uuid: id, speech_to_text: 'Default', webhook_url: '' })
    expect(asked).toEqual([
      [id, { provider: 'assemblyai', apiKey: 'key', customParams: null }, 'https://example.com/done'],
      [id, { provider: 'Default', apiKey: null, customParams: null }, null],
    ])
  })

  test.each([
    [{}, 'body/bot_uuid is missing'],
    [{ bot_uuid: 'x' }, 'body/bot_uuid'],
    [{ bot_uuid: randomUUID(), speech_to_text: 'deepgram' }, 'body/speech_to_text/api_key'],
    [{ bot_uuid: randomUUID(), webhook_url: 'https://127.0.0.1/' }, 'body/webhook_url: '],
    [{ bot_uuid: randomUUID(), other: 1 }, 'body/other unknown field'],
  ])('%j is refused', async (body, says) => {
    const refused = await team.post(PATH, body)
    expect([refused.status, refused.body.code]).toEqual([422, 'InvalidRequest'])
    expect(refused.body.error).toContain(says)
  })
})
