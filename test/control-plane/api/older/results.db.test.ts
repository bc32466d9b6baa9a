/** Meeting data, screenshots, leaving, deletion and the account's address, with real files behind the links. */
import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { NewBotRow } from '@standin/control-plane/store/rows/index.ts'
import { describe, expect, test } from 'vitest'
import {
  deletionSchema,
  meetingDataSchema,
  okSchema,
  screenshotsSchema,
  webhookUrlSchema,
} from '../../../../control-plane/api/older/bots/answers.ts'
import { olderGeneration } from '../../../../control-plane/api/older/index.ts'
import { createArtifactLinks } from '../../../../control-plane/files/artifact-links.ts'
import { deleteDue } from '../../../../control-plane/files/jobs/deletion.ts'
import { finishDeletion, openDeletions } from '../../../../control-plane/store/bots/deletions.ts'
import { type Base, openWorld, quiet } from '../../world.ts'
import { olderBotRow } from './rows.ts'

let folder!: ReturnType<Base['folder']>
const world = await openWorld({
  api: (base) => {
    folder = base.folder()
    const links = createArtifactLinks(base.database, folder.files, 'https://standin.test')
    return { generations: [olderGeneration], links }
  },
})
const { root, files } = folder
const team = await world.team()

const bot = (values: Partial<NewBotRow> = {}) => olderBotRow(world, team.teamId, values)

/** Stores a file as the worker does, and its row. */
async function stored(botId: string, name: string, content: string, storedAt = new Date()): Promise<void> {
  const location = join(root, botId, '1', botId, name)
  mkdirSync(dirname(location), { recursive: true })
  writeFileSync(location, content)
  const row = { bot_id: botId, attempt: 1, name, location, bytes: content.length, stored_at: storedAt }
  await world.insert('artifacts', row)
}

async function meetingData(query: string) {
  const answer = await team.get(`/bots/meeting_data?${query}`)
  expect(answer.text).toContain('bot_data')
  expect(answer.status).toBe(200)
  return meetingDataSchema.strict().parse(answer.body)
}

const transcription = JSON.stringify({
  result: {
    utterances: [
      {
        speaker: 'Ada',
        start: 1.5,
        end: 2.5,
        words: [
          { word: 'Good', start: 1.5, end: 1.9 },
          { word: 'morning', start: 2, end: 2.5 },
        ],
      },
      { speaker: 'Somebody', start: 3, end: 4, words: [{ word: 'Hi', start: 3, end: 4 }] },
    ],
  },
})

describe('GET /bots/meeting_data', () => {
  test('has links to every file, the record and the transcript', async () => {
    const { id, number } = await bot({
      duration_seconds: 61.7,
      joined_at: new Date('2026-11-20T09:00:12Z'),
      exited_at: new Date('2026-11-20T09:01:14Z'),
      extra: { order: 17 },
      deduplication_key: 'key',
      participants: [{ name: 'Ada', id: 7 }],
      speakers: [{ name: 'Ada', id: 7 }],
      request: {
        bot_image: 'https://example.com/a.png',
        entry_message: 'Hello',
        streaming: { input: null, output: 'wss://example.com', audio_frequency: 16_000 },
        transcription: { provider: 'Default', custom_params: { language: 'de' } },
        webhook_url: 'https://example.com/hook',
      },
    })
    for (const name of ['video.mp4', 'audio.m4a', 'participants.json', 'diarization.jsonl'])
      await stored(id, name, '{}')
    await stored(id, 'transcription.json', transcription)
    const data = await meetingData(`bot_id=${id}`)
    const place = `${id}/1/${id}`
    expect(data).toMatchObject({
      mp4: expect.stringContaining(`${place}/video.mp4`),
      audio: expect.stringContaining(`${place}/audio.m4a`),
      meeting_participants_file: expect.stringContaining(`${place}/participants.json`),
      speaker_diarization_file: expect.stringContaining(`${place}/diarization.jsonl`),
      speaker_diarization_file_network: '',
      duration: 62,
    })
    const { bot: record, event_uuid, transcripts } = data.bot_data
    expect(event_uuid).toBeNull()
    expect(record).toMatchObject({
      id: number,
      uuid: id,
      bot_name: 'Bot',
      bot_joined_at: '2026-11-20T09:00:12.000Z',
      bot_exited_at: '2026-11-20T09:01:14.000Z',
      bot_image: 'https://example.com/a.png',
      enter_message: 'Hello',
      errors: null,
      extra: { order: 17 },
      deduplication_key: 'key',
      is_stopped: false,
      mp4_s3_path: `${place}/video.mp4`,
      noone_joined_timeout: 600,
      waiting_room_timeout: 600,
      silence_timeout: 600,
      recording_mode: 'speaker_view',
      speech_to_text_provider: 'Default',
      streaming_audio_frequency: '16khz',
      streaming_input: null,
      streaming_output: 'wss://example.com',
      transcription_custom_parameters: { language: 'de' },
      webhook_url: 'https://example.com/hook',
    })
    const word = { bot_id: number, user_id: 7 }
    expect(transcripts).toEqual([
      {
        bot_id: number,
        id: 1,
        speaker: 'Ada',
        lang: null,
        start_time: 1.5,
        end_time: 2.5,
        user_id: 7,
        words: [
          { ...word, id: 1, text: 'Good', start_time: 1.5, end_time: 1.9 },
          { ...word, id: 2, text: 'morning', start_time: 2, end_time: 2.5 },
        ],
      },
      {
        bot_id: number,
        id: 2,
        speaker: 'Somebody',
        lang: null,
        start_time: 3,
        end_time: 4,
        user_id: null,
        words: [{ bot_id: number, id: 3, text: 'Hi', start_time: 3, end_time: 4, user_id: null }],
      },
    ])
  })

  test('links work for 24 hours', async () => {
    const { id } = await bot()
    await stored(id, 'video.mp4', 'video')
    const { mp4 } = await meetingData(`bot_id=${id}`)
    const expires = Number(new URL(mp4).searchParams.get('expires'))
    expect(Math.abs(expires - (Date.now() / 1000 + 24 * 3600))).toBeLessThan(60)
  })

  test('what does not exist is an empty string, never null', async () => {
    const { id } = await bot({ status: 'queued', phase: 'due' })
    const data = await meetingData(`bot_id=${id}`)
    const files = { mp4: '', audio: '', meeting_participants_file: '', speaker_diarization_file: '' }
    expect(data).toMatchObject({ ...files, speaker_diarization_file_network: '', duration: 0 })
    expect(data.bot_data.bot).toMatchObject({ mp4_s3_path: '', webhook_url: '', extra: {} })
    expect(data.bot_data.transcripts).toEqual([])
  })

  test('the transcript is left out on demand', async () => {
    const { id } = await bot()
    await stored(id, 'transcription.json', transcription)
    expect((await meetingData(`bot_id=${id}&include_transcripts=false`)).bot_data.transcripts).toEqual([])
    expect((await meetingData(`bot_id=${id}&include_transcripts=true`)).bot_data.transcripts).toHaveLength(2)
  })

  test('a failed bot has its error in the words of this generation', async () => {
    const { id } = await bot({ status: 'failed', error_code: 'TIMEOUT_WAITING_TO_START', error_message: 'Late.' })
    expect((await meetingData(`bot_id=${id}`)).bot_data.bot.errors).toBe('TimeoutWaitingToStart')
  })

  test('the running number of the list is accepted as well, and each reading is counted', async () => {
    const { id, number } = await bot()
    expect((await meetingData(`bot_id=${number}`)).bot_data.bot.uuid).toBe(id)
    await meetingData(`bot_id=${id.toUpperCase()}`)
    const { body } = await team.get('/bots/bots_with_metadata?limit=1')
    expect(body.bots[0]).toMatchObject({ uuid: id, access_count: 2, last_accessed_at: expect.any(String) })
  })

  test.each([
    ['', 'querystring/bot_id is missing'],
    ['bot_id=', 'querystring/bot_id'],
    ['bot_id=x', 'querystring/bot_id is not a bot id'],
    ['bot_id=99999999999999999', 'querystring/bot_id'],
    [`bot_id=${randomUUID()}&include_transcripts=maybe`, 'querystring/include_transcripts'],
  ])('the query %j is refused', async (query, says) => {
    const { status, body } = await team.get(`/bots/meeting_data?${query}`)
    expect([status, body.code]).toEqual([422, 'InvalidRequest'])
    expect(body.error).toContain(says)
  })
})

describe('ids of others', () => {
  test('an unknown bot, one of another team and one of the newer generation answer 404 everywhere', async () => {
    const other = await world.team()
    const foreign = await olderBotRow(world, other.teamId)
    const newer = await bot({ generation: 'v2' })
    for (const id of [randomUUID(), foreign.id, foreign.number, newer.id]) {
      const answers = await Promise.all([
        team.get(`/bots/meeting_data?bot_id=${id}`),
        team.get(`/bots/${id}/screenshots`),
        team.delete(`/bots/${id}`),
      ])
      const deletion = await (await world.team()).post(`/bots/${id}/delete_data`)
      for (const { status, body } of [...answers, deletion]) {
        expect(status).toBe(404)
        expect(body).toEqual({ error: expect.stringContaining('not found'), code: 'BotNotFound' })
      }
    }
    expect(await world.row(foreign.id)).toMatchObject({ access_count: 0, data_deleted_at: null })
  })
})

describe('GET /bots/{uuid}/screenshots', () => {
  test('lists links with dates, oldest first', async () => {
    const { id } = await bot()
    await stored(id, 'screenshots/0001.png', 'a', new Date('2026-11-20T09:00:00Z'))
    await stored(id, 'screenshots/0002.png', 'b', new Date('2026-11-20T09:05:00Z'))
    await stored(id, 'video.mp4', 'c')
    const answer = await team.get(`/bots/${id}/screenshots/`)
    expect(screenshotsSchema.parse(answer.body)).toEqual([
      { date: '2026-11-20T09:00:00.000Z', url: expect.stringContaining('screenshots/0001.png') },
      { date: '2026-11-20T09:05:00.000Z', url: expect.stringContaining('screenshots/0002.png') },
    ])
  })

  test('is empty without any', async () => {
    expect((await team.get(`/bots/${(await bot()).id}/screenshots`)).body).toEqual([])
  })
})

test('leaving cancels a bot that waits for its start_time, and the record says that a bot was asked', async () => {
  const start_time = Math.floor(Date.now() / 1000) + 3600
  const meeting_url = 'https://meet.google.com/lat-erme-now'
  const waiting = (await team.post('/bots', { bot_name: 'Bot', meeting_url, start_time })).body.bot_id
  const { id } = await bot({ phase: 'running', status: 'in_call_recording' })
  for (const one of [waiting, id])
    expect(okSchema.parse((await team.delete(`/bots/${one}`)).body)).toEqual({ ok: true })
  expect(await world.row(waiting)).toMatchObject({ phase: 'closed', schedule_status: 'cancelled' })
  expect((await meetingData(`bot_id=${id}`)).bot_data.bot.is_stopped).toBe(true)
})

describe('POST /bots/{uuid}/delete_data', () => {
  /** Five requests a minute are allowed with one key. */
  const deletionOf = async (id: string, owner = team) => owner.post(`/bots/${id}/delete_data`)
  const ofNewTeam = async (values: Partial<NewBotRow> = {}) => {
    const owner = await world.team()
    return { owner, id: (await olderBotRow(world, owner.teamId, values)).id }
  }

  test('deletes the files and empties the links; a repetition says so', async () => {
    const { owner, id } = await ofNewTeam({ duration_seconds: 60 })
    await stored(id, 'video.mp4', 'video')
    const answer = await deletionOf(id, owner)
    expect(answer.status).toBe(200)
    expect(deletionSchema.parse(answer.body)).toEqual({ ok: true, status: 'deleted' })
    const { body } = await owner.get(`/bots/meeting_data?bot_id=${id}`)
    expect(meetingDataSchema.parse(body)).toMatchObject({ mp4: '', duration: 60, bot_data: { transcripts: [] } })
    expect((await deletionOf(id, owner)).body).toEqual({ ok: true, status: 'alreadyDeleted' })
    await deleteDue({ database: world.database, files, log: quiet, provider: null, ownKeyOf: () => null })
    expect(await files.list(id)).toEqual([])
    expect((await deletionOf(id, owner)).body).toEqual({ ok: true, status: 'alreadyDeleted' })
  })

  test('a bot without files has no data', async () => {
    const { owner, id } = await ofNewTeam()
    expect((await deletionOf(id, owner)).body).toEqual({ ok: true, status: 'noDataFound' })
  })

  test('says when the files could not be deleted yet', async () => {
    const { owner, id } = await ofNewTeam()
    await stored(id, 'video.mp4', 'video')
    await deletionOf(id, owner)
    const open = (await openDeletions(world.database, 100)).find(({ bot_id }) => bot_id === id)
    const failed = { files: 0, bytes: 0, provider: null, error: 'The storage does not answer.' }
    await finishDeletion(world.database, open!, failed)
    expect((await deletionOf(id, owner)).body).toEqual({ ok: false, status: 'partiallyDeleted' })
  })

  test('the sixth request within a minute is refused, with the time to wait', async () => {
    const { owner, id } = await ofNewTeam()
    for (let count = 0; count < 5; count++) expect((await deletionOf(id, owner)).status).toBe(200)
    const { status, body, headers } = await deletionOf(id, owner)
    expect([status, body.code]).toEqual([429, 'TooManyRequests'])
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  })
})

describe('/accounts/webhook_url', () => {
  const read = async (owner: typeof team) => webhookUrlSchema.parse((await owner.get('/accounts/webhook_url')).body)
  const write = (owner: typeof team, webhook_url: unknown) => owner.post('/accounts/webhook_url', { webhook_url })

  test('is null, then set, replaced and removed', async () => {
    const owner = await world.team()
    expect(await read(owner)).toEqual({ webhook_url: null })
    for (const url of ['https://example.com/a', 'https://example.com/b']) {
      const answer = await write(owner, url)
      expect([answer.status, answer.body]).toEqual([200, { webhook_url: url }])
      expect(await read(owner)).toEqual({ webhook_url: url })
    }
    expect((await write(owner, '')).body).toEqual({ webhook_url: null })
    expect(await read(owner)).toEqual({ webhook_url: null })
    await write(owner, 'https://example.com/a')
    await write(owner, null)
    expect(await read(owner)).toEqual({ webhook_url: null })
  })

  test.each(['nonsense', 'ftp://example.com', 'https://127.0.0.1/', 'https://10.0.0.1/', 'https://localhost/', 17])(
    '%s is refused',
    async (url) => {
      const owner = await world.team()
      const { status, body } = await write(owner, url)
      expect([status, body.code]).toEqual([422, 'InvalidRequest'])
      expect(await read(owner)).toEqual({ webhook_url: null })
    },
  )

  test('events of bots are sent there; those of a bot with its own address are sent to that one', async () => {
    const owner = await world.team()
    await write(owner, 'https://example.com/account')
    const meeting_url = (name: string) => `https://meet.google.com/acc-${name}-url`
    const plain = await owner.post('/bots', { bot_name: 'A', meeting_url: meeting_url('aaaa') })
    const webhook_url = 'https://example.com/own'
    const own = await owner.post('/bots', { bot_name: 'B', meeting_url: meeting_url('bbbb'), webhook_url })
    const targets = async (id: string) => {
      await owner.delete(`/bots/${id}`)
      const rows = await world.database
        .selectFrom('deliveries')
        .innerJoin('endpoints', 'endpoints.id', 'deliveries.endpoint_id')
        .select('endpoints.url')
        .where('deliveries.bot_id', '=', id)
        .execute()
      return [...new Set(rows.map(({ url }) => url))]
    }
    expect(await targets(plain.body.bot_id)).toEqual(['https://example.com/account'])
    expect(await targets(own.body.bot_id)).toEqual(['https://example.com/own'])
  })

  test.each(['/bots/webhooks', '/bots/webhooks/bot', '/bots/webhooks/calendar'])(
    '%s says what is sent',
    async (path) => {
      const { status, body } = await team.get(path)
      expect(status).toBe(200)
      expect(body.events.length).toBeGreaterThan(0)
    },
  )
})
