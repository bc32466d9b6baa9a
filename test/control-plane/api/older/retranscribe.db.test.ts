import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import type { ApiDependencies } from '../../../../control-plane/api/dependencies.ts'
import { olderGeneration } from '../../../../control-plane/api/older/index.ts'
import { entryOf } from '../../../../control-plane/store/audit-log.ts'
import { openWorld } from '../../world.ts'
import { olderBotRow } from './rows.ts'

type Retranscribe = NonNullable<ApiDependencies['retranscribe']>
let asked: Parameters<Retranscribe>[] = []
let answer: Awaited<ReturnType<Retranscribe>> = 'started'

const world = await openWorld({
  api: {
    generations: [olderGeneration],
    retranscribe: async (...given) => {
      asked.push(given)
      // The API expects a change in the audit log.
      entryOf({ teamId: team.teamId, action: 'bot.retranscribe', target: given[0] })
      return answer
    },
  },
})
const team = await world.team()
beforeEach(() => {
  asked = []
  answer = 'started'
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
    ['no_audio', 409],
    ['not_ended', 409],
  ] as const)('%s is %i', async (result, status) => {
    answer = result
    const refused = await team.post(PATH, { bot_uuid: (await bot()).id })
    expect([refused.status, refused.body.code]).toEqual([status, 'BotStatus'])
  })

  test('an unknown bot and one of another team are 404', async () => {
    const other = await world.team()
    const foreign = await olderBotRow(world, other.teamId)
    for (const bot_uuid of [randomUUID(), foreign.id]) {
      const refused = await team.post(PATH, { bot_uuid })
      expect([refused.status, refused.body.code]).toEqual([404, 'BotNotFound'])
    }
    expect(asked).toEqual([])
  })

  test('an own key needs a plan with own keys', async () => {
    const owner = await world.team({ byok_transcription: false })
    const { id } = await olderBotRow(world, owner.teamId)
    const refused = await owner.post(PATH, { bot_uuid: id, speech_to_text: { provider: 'deepgram', api_key: 'k' } })
    expect([refused.status, refused.body.code]).toEqual([403, 'Forbidden'])
    expect(asked).toEqual([])
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

  test('an installation without a worker for it says so', async () => {
    const without = await openWorld({ api: { generations: [olderGeneration] } })
    const owner = await without.team()
    const { id } = await olderBotRow(without, owner.teamId)
    const refused = await owner.post(PATH, { bot_uuid: id })
    expect([refused.status, refused.body.code]).toEqual([503, 'ServiceUnavailable'])
  })
})
