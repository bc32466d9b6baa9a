import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { NewBotRow } from '@standin/control-plane/store/rows/index.ts'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { requestRetranscription } from '../../../../control-plane/bots/actions/retranscribe.ts'
import { secretsPlace } from '../../../../control-plane/bots/request.ts'
import { auditLedger } from '../../../../control-plane/files/jobs/audit.ts'
import {
  NoTranscript,
  type Retranscriptions,
  type Speech,
  startRetranscriptions,
  type Transcribe,
} from '../../../../control-plane/files/jobs/retranscription.ts'
import type { FileStore } from '../../../../control-plane/platform/ports.ts'
import { requestDeletion } from '../../../../control-plane/store/bots/deletions.ts'
import { setAccountUrl } from '../../../../control-plane/store/webhooks/endpoints.ts'
import { emptyDatabase } from '../../postgres.ts'
import { openWorld, quiet, seals } from '../../world.ts'

let team: string
let running: Retranscriptions[] = []

const world = await openWorld({ webhooks: true })
const { root, files } = world.folder()
beforeEach(async () => {
  await emptyDatabase(world.database)
  team = await world.teamId()
})
afterEach(async () => {
  await Promise.all(running.map((one) => one.close()))
  running = []
})
const recordedBot = (values: Partial<NewBotRow> = {}): Promise<string> =>
  world.addBot(team, {
    ...{ meeting_key: randomUUID(), end_code: 'API_REQUEST', attempt: 2, joined_attempt: 2 },
    ...values,
  })

/** A bot that recorded sound. */
async function botWithSound(values: Partial<NewBotRow> = {}): Promise<string> {
  const id = await recordedBot(values)
  await withFile(id, 'audio.m4a', 'SOUND')
  return id
}

async function withFile(id: string, name: string, content: string): Promise<string> {
  const location = join(root, id, '2', id, name)
  mkdirSync(dirname(location), { recursive: true })
  writeFileSync(location, content)
  await world.insert('artifacts', { bot_id: id, attempt: 2, name, location, bytes: content.length })
  return location
}

/** A program that writes a transcript of an hour. */
function transcriber(before: (folder: string, speech: Speech, signal: AbortSignal) => unknown = () => {}) {
  const calls: { folder: string; speech: Speech }[] = []
  const transcribe: Transcribe = async (folder, speech, signal) => {
    calls.push({ folder, speech })
    await before(folder, speech, signal)
    const text = JSON.stringify({ provider: speech.provider, result: { total_duration: 3600, utterances: [] } })
    for (const name of ['transcription.json', 'raw_transcription.json', 'transcription.vtt', 'transcription.srt'])
      writeFileSync(join(folder, name), text)
  }
  return { calls, transcribe }
}

function start(transcribe: Transcribe, retrySeconds: number[] = [], store: FileStore = files) {
  const { database } = world
  const started = startRetranscriptions({
    ...{ database, files: store, seals, transcribe, log: quiet, lookEveryMs: 20, retrySeconds },
    workFolder: join(root, 'work'),
  })
  running.push(started)
  return started
}

const ask = (id: string, ...more: [Parameters<typeof requestRetranscription>[3]?, (string | null)?]) =>
  requestRetranscription(world.database, seals, id, more[0] ?? null, more[1] ?? null)
const botOf = world.row
const messagesOf = (id: string) =>
  world.database
    .selectFrom('messages')
    .selectAll()
    .where('bot_id', '=', id)
    .orderBy('created_at')
    .orderBy('event', 'desc')
    .execute()
const statusOf = async (id: string) => (await botOf(id)).status

describe('a new transcript', () => {
  test('is made from the stored sound, stored beside it, charged and reported', async () => {
    await world.endpoint({ teamId: team, kind: 'team', url: 'https://example.com' })
    const id = await recordedBot()
    const audio = await withFile(id, 'audio.m4a', 'SOUND')
    await withFile(id, 'diarization.jsonl', 'TURNS')
    // With them, the program transcribes only what has no words.
    const earlier = ['transcription.json', 'raw_transcription.json']
    for (const name of earlier) await withFile(id, name, name)
    const seen: string[] = []
    const { transcribe, calls } = transcriber((folder) => {
      for (const name of ['audio.m4a', 'diarization.jsonl', ...earlier])
        seen.push(readFileSync(join(folder, name), 'utf8'))
    })
    expect(await ask(id)).toBe('started')
    const asked = { status: 'transcribing', transcription_status: 'processing', phase: 'closed' }
    expect(await botOf(id)).toMatchObject(asked)
    start(transcribe)
    await expect.poll(() => statusOf(id)).toBe('completed')
    expect(seen).toEqual(['SOUND', 'TURNS', ...earlier])
    expect(calls[0]).toMatchObject({ speech: { provider: 'Default', apiKey: null, customParams: null } })
    expect(basename(calls[0]!.folder)).toBe(id)
    expect(existsSync(calls[0]!.folder)).toBe(false)
    const made = JSON.parse(readFileSync(join(dirname(audio), 'transcription.json'), 'utf8'))
    expect(made.provider).toBe('Default')
    const names = (await world.rows('artifacts', { bot_id: id, attempt: 2 })).map(({ name }) => name)
    const transcripts = ['transcription.json', 'raw_transcription.json', 'transcription.vtt', 'transcription.srt']
    expect(names).toEqual(expect.arrayContaining(transcripts))
    expect(await botOf(id)).toMatchObject({
      transcription_status: 'done',
      transcription_provider: 'Default',
      charged: { transcription: 250_000, recording: 0 },
    })
    expect(await world.rows('ledger', { bot_id: id }, ['kind', 'meter', 'amount'])).toEqual([
      { kind: 'charge', meter: 'transcription', amount: 250_000 },
    ])
    expect(
      (await messagesOf(id)).map(({ event, body }) => [
        event,
        (body as { data: { status?: { code: string } } }).data.status?.code,
      ]),
    ).toEqual([
      ['bot.status_change', 'transcribing'],
      ['bot.status_change', 'completed'],
      ['bot.completed', undefined],
      ['bot.completed', undefined],
    ])
    expect(await auditLedger(world.database, quiet)).toEqual({ differences: [], openReserves: [] })
  })

  test.each([
    ['Default', 62_500],
    ['deepgram', 250_000],
  ])('of one by %s with holes is charged for what was transcribed now', async (provider, charge) => {
    const id = await botWithSound()
    const stretches = [
      { start: 0, end: 600, user_id: 1 },
      { start: 300, end: 900, user_id: 2 },
    ]
    const earlier = { provider, result: { total_duration: 3600, utterances: [], holes: stretches } }
    await withFile(id, 'transcription.json', JSON.stringify(earlier))
    await ask(id)
    start(transcriber().transcribe)
    await expect.poll(() => statusOf(id)).toBe('completed')
    expect(await botOf(id)).toMatchObject({ charged: { transcription: charge } })
  })

  test('uses the provider, key and parameters of the bot, and other ones on demand', async () => {
    const id = randomUUID()
    const request = {
      transcription: { provider: 'deepgram' as const, custom_params: { language: 'de' } },
      sealed: ['transcriptionApiKey'],
    }
    const secrets = seals.seal(JSON.stringify({ transcriptionApiKey: 'own-key' }), secretsPlace(id))
    await botWithSound({ id, request, secrets })
    const { transcribe, calls } = transcriber()
    start(transcribe)
    await ask(id)
    await expect.poll(() => statusOf(id)).toBe('completed')
    await ask(id, { provider: 'ASSEMBLYAI', apiKey: 'given-key', customParams: null })
    const { secret } = await world.one('retranscriptions', { provider: 'assemblyai' })
    expect(secret!.toString('latin1')).not.toContain('given-key')
    await expect.poll(() => statusOf(id)).toBe('completed')
    expect(calls.map(({ speech }) => speech)).toEqual([
      { provider: 'deepgram', apiKey: 'own-key', customParams: { language: 'de' } },
      { provider: 'assemblyai', apiKey: 'given-key', customParams: null },
    ])
    expect((await botOf(id)).charged).toMatchObject({ byok_transcription: 100_000 })
    const kept = await world.rows('retranscriptions', {}, ['secret'])
    expect(kept.every(({ secret }) => secret === null)).toBe(true)
  })

  test('whose key cannot be opened any more fails after its tries', async () => {
    const id = await botWithSound()
    await ask(id, { provider: 'deepgram', apiKey: 'given-key', customParams: null })
    await sql`update retranscriptions set secret = 'sealed with a key that is gone'`.execute(world.database)
    const { transcribe, calls } = transcriber()
    start(transcribe, [0])
    await expect.poll(() => statusOf(id), { timeout: 20_000 }).not.toBe('transcribing')
    expect(await botOf(id)).toMatchObject({ status: 'failed', transcription_status: 'error' })
    const task = await world.one('retranscriptions')
    expect(task).toMatchObject({ tries: 2, finished_at: expect.any(Date), secret: null })
    expect(calls).toEqual([])
  })

  test('removes the sound of a process that was killed', async () => {
    const left = join(root, 'work', 'work-1')
    mkdirSync(left, { recursive: true })
    writeFileSync(join(left, 'audio.m4a'), 'SOUND')
    start(transcriber().transcribe)
    await expect.poll(() => existsSync(left), { timeout: 20_000 }).toBe(false)
  })

  test('completes a bot that had failed for want of a transcript', async () => {
    const id = await botWithSound({
      status: 'failed',
      error_code: 'TRANSCRIPTION_FAILED',
      error_message: 'No service.',
    })
    start(transcriber().transcribe)
    await ask(id)
    await expect.poll(() => statusOf(id)).toBe('completed')
    expect(await botOf(id)).toMatchObject({ error_code: null, error_message: null })
  })

  test('leaves the reason of a bot that had failed otherwise', async () => {
    const id = await botWithSound({ status: 'failed', error_code: 'OOM_KILLED', error_message: 'Killed.' })
    start(transcriber().transcribe)
    await ask(id)
    await expect.poll(() => statusOf(id)).toBe('failed')
    expect(await botOf(id)).toMatchObject({ error_code: 'OOM_KILLED', transcription_status: 'done' })
  })
})

describe('the older generation', () => {
  const events = async (id: string) => {
    const rows = await world.database
      .selectFrom('deliveries')
      .innerJoin('messages', 'messages.id', 'deliveries.message_id')
      .innerJoin('endpoints', 'endpoints.id', 'deliveries.endpoint_id')
      .select(['messages.event', 'endpoints.url'])
      .where('deliveries.bot_id', '=', id)
      .orderBy('deliveries.id')
      .execute()
    return rows.map(({ event, url }) => [event, url])
  }

  test('sends transcription_complete to the address of the request, once; then to its own again', async () => {
    await setAccountUrl(world.database, seals, team, 'https://example.com/account')
    const id = await botWithSound({ generation: 'older' })
    start(transcriber().transcribe)
    await ask(id, null, 'https://example.com/once')
    await expect.poll(() => events(id)).toEqual([['transcription_complete', 'https://example.com/once']])
    await ask(id)
    await expect
      .poll(() => events(id))
      .toEqual([
        ['transcription_complete', 'https://example.com/once'],
        ['transcription_complete', 'https://example.com/account'],
      ])
  })

  test('gets a message about a failure too', async () => {
    await setAccountUrl(world.database, seals, team, 'https://example.com/account')
    const id = await botWithSound({ generation: 'older' })
    start(async () => {
      throw new NoTranscript('The service is away.')
    })
    await ask(id)
    await expect.poll(() => events(id)).toEqual([['failed', 'https://example.com/account']])
  })
})

describe('a bucket', () => {
  /** A store that gives its sound, or refuses. */
  function bucket(refusal: Error | null = null) {
    const written = new Map<string, string>()
    const store = {
      copy: async (_key: string, target: string) => {
        if (refusal !== null) throw refusal
        writeFileSync(target, 'SOUND')
        return true
      },
      write: async (key: string, bytes: Uint8Array) => void written.set(key, Buffer.from(bytes).toString()),
    } as unknown as FileStore
    return { store, written }
  }
  async function botInBucket() {
    const id = await recordedBot()
    const location = `s3://bucket/recordings/${id}/2/${id}/audio.m4a`
    await world.insert('artifacts', { bot_id: id, attempt: 2, name: 'audio.m4a', location, bytes: 5 })
    return id
  }

  test('gives the sound and takes the transcript', async () => {
    const id = await botInBucket()
    const { store, written } = bucket()
    const heard: string[] = []
    const { transcribe } = transcriber((folder) => heard.push(readFileSync(join(folder, 'audio.m4a'), 'utf8')))
    start(transcribe, [], store)
    await ask(id)
    await expect.poll(() => statusOf(id)).toBe('completed')
    expect(heard).toEqual(['SOUND'])
    expect([...written.keys()]).toContain(`${id}/2/${id}/transcription.json`)
    const stored = await world.rows('artifacts', { bot_id: id }, ['location'])
    expect(stored.map(({ location }) => location)).toContain(`${id}/2/${id}/transcription.json`)
  })

  test('that refuses the sound fails the transcript, without its answer', async () => {
    const id = await botInBucket()
    const { store } = bucket(new Error('Access denied to s3://bucket'))
    start(transcriber().transcribe, [], store)
    await ask(id)
    await expect.poll(() => statusOf(id)).toBe('failed')
    expect((await botOf(id)).error_message).toBe('The new transcript was not made. The transcription could not be run.')
  })
})

describe('failures', () => {
  test('a provider without a transcript is tried again, then the bot fails and keeps its recording', async () => {
    const id = await botWithSound()
    let tries = 0
    start(async () => {
      tries++
      throw new NoTranscript('The service is away.')
    }, [0, 0])
    await ask(id)
    await expect.poll(() => statusOf(id)).toBe('failed')
    expect(tries).toBe(3)
    expect(await botOf(id)).toMatchObject({
      error_code: 'TRANSCRIPTION_FAILED',
      error_message: 'The new transcript was not made. The service is away.',
      transcription_status: 'error',
    })
    expect(await world.rows('ledger', { bot_id: id }, ['id'])).toEqual([])
    expect(await world.rows('artifacts', { bot_id: id }, ['name'])).toEqual([{ name: 'audio.m4a' }])
    expect(await ask(id)).toBe('started')
  })

  test('is refused without audio, for a running bot, twice at once, and for none', async () => {
    expect(await ask(await recordedBot())).toBe('no_audio')
    expect(await ask(await recordedBot({ phase: 'running', status: 'in_call_recording' }))).toBe('not_ended')
    expect(await ask(randomUUID())).toBe('not_found')
    const id = await botWithSound()
    const answers = await Promise.all([ask(id), ask(id), ask(id)])
    expect(answers.sort()).toEqual(['not_ended', 'not_ended', 'started'])
  })

  test('a stopping service leaves the work to the next one', async () => {
    const id = await botWithSound()
    let begun = 0
    const first = start((_folder, _speech, signal) => {
      begun++
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
    await ask(id)
    await expect.poll(() => begun).toBe(1)
    await first.close()
    expect(await statusOf(id)).toBe('transcribing')
    start(transcriber().transcribe)
    await expect.poll(() => statusOf(id)).toBe('completed')
  })

  test('one of several services makes it', async () => {
    const ids: string[] = []
    for (let count = 0; count < 6; count++) {
      const id = await recordedBot()
      await withFile(id, 'audio.m4a', 'SOUND')
      await ask(id)
      ids.push(id)
    }
    const { transcribe, calls } = transcriber()
    for (let count = 0; count < 3; count++) start(transcribe)
    await expect.poll(() => Promise.all(ids.map(statusOf))).toEqual(Array(6).fill('completed'))
    expect(calls.map(({ folder }) => basename(folder)).sort()).toEqual(ids.sort())
  })

  test('a transcript of data whose retention ended meanwhile is dropped, with its files', async () => {
    const id = await recordedBot()
    const audio = await withFile(id, 'audio.m4a', 'SOUND')
    start(
      transcriber(async () => {
        await world.database.transaction().execute((tx) => requestDeletion(tx, id, { reason: 'retention', by: null }))
      }).transcribe,
    )
    await ask(id)
    await expect.poll(() => statusOf(id)).toBe('completed')
    await expect.poll(() => existsSync(dirname(audio))).toBe(false)
    expect((await messagesOf(id)).map(({ event }) => event)).toEqual(['bot.status_change'])
  })
})
