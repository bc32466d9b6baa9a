/** A deletion leaves nothing, neither here nor at the speech provider. */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createArtifactLinks } from '../../../../control-plane/files/artifact-links.ts'
import { deleteDue } from '../../../../control-plane/files/jobs/deletion.ts'
import { createProviderDeletion } from '../../../../control-plane/files/jobs/provider-deletion.ts'
import type { FileStore } from '../../../../control-plane/platform/ports.ts'
import { requestDeletion } from '../../../../control-plane/store/bots/deletions.ts'
import { readBotForMessages } from '../../../../control-plane/store/bots/messages.ts'
import { sealedSecrets } from '../../../../control-plane/store/bots/secrets.ts'
import { finishFailed } from '../../../../control-plane/store/webhooks/deliveries.ts'
import { claimDeliveries } from '../../../../control-plane/store/webhooks/delivery-claims.ts'
import { resendEnd, sendCallback } from '../../../../control-plane/webhooks/replay.ts'
import { waitingForLocks } from '../../postgres.ts'
import { seals } from '../../world.ts'
import { MARKED_JSON, MARKER, openJobWorld } from './job-world.ts'

const world = await openJobWorld()

const run = (store?: FileStore, provider?: Parameters<typeof world.deletionTools>[1]) =>
  deleteDue(world.deletionTools(store, provider))
/** The files, of which those of some bots cannot be deleted. */
const awayFor = (isAway: (bot: string) => boolean): FileStore => ({
  ...world.files,
  deletePrefix: async (prefix) => {
    if (isAway(prefix)) throw new Error('The disk is away')
    return world.files.deletePrefix(prefix)
  },
})
const makeDue = (of: { bot_id?: string } = {}) => world.change('deletions', of, { next_try_at: new Date() })
const [DONE, FAILED, NOTHING] = [
  [1, 0],
  [0, 1],
  [0, 0],
].map(([deleted, failed]) => ({ deleted, failed }))

describe('deletion', () => {
  test('leaves no byte of what a bot recorded', async () => {
    const bot = await world.recordedBot()
    expect((await world.placesOfMarker()).sort()).toEqual([
      'bot_commands.answer',
      'bot_commands.command',
      'bot_events.event',
      'bot_steps.evidence',
      'bots.deduplication_key',
      'bots.extra',
      'bots.meeting_url',
      'bots.participants',
      'bots.report',
      'bots.request',
      'bots.speakers',
      'bots.transcription_ids',
      'delivery_attempts.answer',
      'endpoints.url',
      'launches.evidence',
      'launches.log_tail',
      'messages.body',
      'request_log.error_body',
      'request_log.path',
      'retranscriptions.custom_params',
      'retranscriptions.last_error',
      'retranscriptions.webhook_url',
    ])
    expect(await world.requestDeletion(bot)).toBe('requested')
    expect(await run()).toEqual(DONE)
    expect(await world.placesOfMarker()).toEqual([])
    expect(await world.files.list(bot)).toEqual([])
    expect(await world.receipt(bot)).toMatchObject({
      reason: 'request',
      requested_by: 'key 1',
      files: 6,
      bytes: 6 * MARKER.length,
      verified_at: expect.any(Date),
      swept_at: null,
      last_error: null,
    })
    const row = await world.row(bot)
    expect(row).toMatchObject({
      secrets: null,
      bot_name: 'Bot',
      status: 'completed',
      meeting_url: 'https://zoom.us/j/1234567890',
    })
    expect(row.request).toEqual({ timeout_config: { silence_timeout: 700 }, transcription: { provider: 'Default' } })
    expect(await world.states()).toEqual({ dropped: 1 })
  })

  test('makes links null before the files are gone', async () => {
    const bot = await world.recordedBot()
    const links = createArtifactLinks(world.database, world.files, 'https://standin.test')
    expect(await links.linksOf(bot)).toMatchObject({
      video: expect.stringContaining(`/files/${bot}/1/${bot}/video.mp4?`),
      audio: expect.any(String),
      transcription: expect.any(String),
      diarization: null,
      chat_messages: null,
      raw_transcription: null,
    })
    expect((await links.screenshotsOf(bot)).map(({ name }) => name)).toEqual([
      'screenshots/0001.png',
      'screenshots/0002.png',
    ])
    await world.requestDeletion(bot)
    expect(new Set(Object.values(await links.linksOf(bot)))).toEqual(new Set([null]))
    expect(await links.sign(bot, 'video.mp4', 60)).toBeNull()
    expect(await links.olderTranscript(bot)).toEqual([])
    expect(await links.screenshotsOf(bot)).toEqual([])
  })

  test('is refused for a bot that is active, and done once', async () => {
    const active = await world.recordedBot({ phase: 'running', status: 'in_call_recording' })
    expect(await world.requestDeletion(active)).toBe('active')
    expect(await world.requestDeletion(randomUUID())).toBe('not_found')
    const bot = await world.recordedBot()
    expect(await world.requestDeletion(bot)).toBe('requested')
    expect(await world.requestDeletion(bot)).toBe('already_deleted')
    expect((await world.rows('deletions')).length).toBe(1)
  })

  test('that fails is tried again and holds up no other', async () => {
    const bots = [await world.recordedBot(), await world.recordedBot()]
    for (const bot of bots) await world.requestDeletion(bot)
    expect(await run(awayFor((bot) => bot === bots[0]))).toEqual({ deleted: 1, failed: 1 })
    expect(await world.receipt(bots[0]!)).toMatchObject({ verified_at: null, tries: 1, last_error: 'The disk is away' })
    expect(await run()).toEqual(NOTHING)
    await makeDue({ bot_id: bots[0]! })
    expect(await run()).toEqual(DONE)
    expect(await world.placesOfMarker()).toEqual([])
  })

  test('that has failed for hours waits for its next try, and others are done', async () => {
    const ids = await Promise.all(Array.from({ length: 51 }, () => world.addBot(world.team)))
    for (const id of ids) await world.requestDeletion(id)
    const last = ids.at(-1)!
    const broken = awayFor((bot) => bot !== last)
    await sql`update deletions set tries = 12, requested_at = now() - interval '2 days',
      next_try_at = now() - interval '1 second' where bot_id <> ${last}`.execute(world.database)
    // The batch had no success, so the storage is not asked any more.
    expect(await run(broken)).toEqual({ deleted: 0, failed: 50 })
    const next = (await world.receipt(ids[0]!)).next_try_at.getTime() - Date.now()
    expect(next).toBeGreaterThan(2.8 * 3600_000)
    expect(next).toBeLessThan(2.9 * 3600_000)
    expect(await run(broken)).toEqual(DONE)
  })

  test('leaves no webhook with an empty body: one that is being sent is not tried again', async () => {
    const bot = await world.recordedBot()
    const rules = { limit: 9, leaseSeconds: 60, perEndpoint: 9, perTeam: 9, busyEndpoints: {}, busyTeams: {} }
    const claim = randomUUID()
    const [sending] = await claimDeliveries(world.database, { ...rules, claim })
    await world.requestDeletion(bot)
    await run()
    const timedOut = { durationMs: 1, status: null, error: 'Timeout', answer: null }
    const end = { nextInSeconds: 1, isGone: false }
    expect(await finishFailed(world.database, sending!, claim, { ...timedOut, ...end })).toBe(false)
    expect(await world.states()).toEqual({ dropped: 1 })
  })

  test('is followed by no message with what it deletes', async () => {
    const bot = await world.recordedBot()
    const again = () => Promise.all([resendEnd(world.database, bot), sendCallback(world.database, seals, bot, null)])
    await world.database.deleteFrom('delivery_attempts').execute()
    await world.requestDeletion(bot)
    await sql`update messages set body = '{}'`.execute(world.database)
    expect(await again()).toEqual(['no_receiver', 'sent'])
    expect(await world.placesOfMarker()).not.toContain('messages.body')
  })

  test('that is asked for while a message is made blanks the message', async () => {
    const bot = await world.recordedBot()
    const asked = Promise.withResolvers<unknown>()
    await world.database.transaction().execute(async (tx) => {
      await readBotForMessages(tx, bot)
      let isAsked = false
      asked.resolve(world.requestDeletion(bot).then(() => (isAsked = true)))
      await expect.poll(() => waitingForLocks(world.database), { timeout: 20_000 }).toBeGreaterThan(0)
      expect(isAsked).toBe(false)
    })
    await asked.promise
  })

  test('is not complete where files are left', async () => {
    const bot = await world.recordedBot()
    await world.requestDeletion(bot)
    const lying: FileStore = { ...world.files, deletePrefix: async () => ({ files: 6, bytes: 1 }) }
    expect(await run(lying)).toEqual(FAILED)
    const last_error = '6 files are left after the deletion'
    expect(await world.receipt(bot)).toMatchObject({ verified_at: null, last_error })
  })

  test('deletes late files a day later', async () => {
    const bot = await world.recordedBot()
    await world.requestDeletion(bot)
    await run()
    await world.files.write(`${bot}/1/late.mp4`, new Uint8Array(Buffer.from(MARKER)), 'video/mp4')
    const late = { bot_id: bot, journal_id: randomUUID(), seq: 1, attempt: 1, type: 'chat_message', at: new Date() }
    await world.insert('bot_events', { ...late, event: MARKED_JSON })
    expect(await run()).toEqual(NOTHING)
    const { verified_at, next_try_at } = await world.receipt(bot)
    expect(next_try_at.getTime() - verified_at!.getTime()).toBe(24 * 3600_000)
    await makeDue()
    expect(await run()).toEqual(DONE)
    expect(await world.files.list(bot)).toEqual([])
    expect(await world.placesOfMarker()).toEqual([])
    expect(await world.receipt(bot)).toMatchObject({ files: 7, swept_at: expect.any(Date) })
    expect(await run()).toEqual(NOTHING)
  })
})

describe('transcripts at the speech provider', () => {
  /** Answers as AssemblyAI does: what is not of the key's account is not found. */
  async function openProvider(kept: Record<string, string>, status: number | null = null) {
    const asked: string[] = []
    const server = createServer((request, response) => {
      const id = request.url!.split('/').at(-1)!
      const key = String(request.headers.authorization)
      asked.push(`${request.method} ${request.url} ${key}`)
      const isTheirs = kept[id] === key
      if (isTheirs && status === null) delete kept[id]
      response.statusCode = status ?? (isTheirs ? 200 : 404)
      response.end('{}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const environment = {
      STANDIN_ASSEMBLYAI_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      STANDIN_ASSEMBLYAI_KEY: 'operators-key',
    }
    return { asked, kept, provider: createProviderDeletion({ client: world.client, environment }) }
  }
  /** A bot with transcripts of these ids, whose deletion was asked for. */
  const deletionOf = async (ids: string[], fromProvider = true) => {
    const id = randomUUID()
    const secrets = sealedSecrets(seals, id, { transcriptionApiKey: 'own-key' })
    await world.recordedBot({ id, transcription_ids: ids, secrets })
    const asked = { reason: 'request', by: 'key 1', fromProvider } as const
    await world.database.transaction().execute((tx) => requestDeletion(tx, id, asked))
    return id
  }
  const idsOf = async (bot: string) => world.one('bots', { id: bot }, ['transcription_ids', 'secrets'])

  test('are deleted with the key that made them, and the receipt counts them', async () => {
    const there = await openProvider({ one: 'own-key', two: 'operators-key' })
    const bot = await deletionOf(['one', 'two', 'gone'])
    expect(await run(world.files, there.provider)).toEqual(DONE)
    expect(there.kept).toEqual({})
    expect(there.asked[0]).toBe('DELETE /v2/transcript/one own-key')
    const counted = { provider_deleted: 2, provider_missing: 1, verified_at: expect.any(Date) }
    expect(await world.receipt(bot)).toMatchObject(counted)
    expect(await idsOf(bot)).toEqual({ transcription_ids: [], secrets: null })
  })

  test('stay where the caller wants that', async () => {
    const there = await openProvider({ one: 'own-key' })
    const bot = await deletionOf(['one'], false)
    await run(world.files, there.provider)
    expect(there.asked).toEqual([])
    expect(await world.receipt(bot)).toMatchObject({ provider_deleted: null, verified_at: expect.any(Date) })
    expect(await idsOf(bot)).toEqual({ transcription_ids: [], secrets: null })
  })

  test('are tried again where the provider is down, and the files here are deleted meanwhile', async () => {
    const away = await openProvider({ one: 'own-key' }, 503)
    const bot = await deletionOf(['one'])
    expect(await run(world.files, away.provider)).toEqual(FAILED)
    expect(await world.files.list(bot)).toEqual([])
    expect(await world.receipt(bot)).toMatchObject({ verified_at: null, last_error: expect.stringContaining('503') })
    expect((await idsOf(bot)).transcription_ids).toEqual(['one'])
    await makeDue()
    const back = await openProvider({ one: 'own-key' })
    expect(await run(world.files, back.provider)).toEqual(DONE)
    expect(await world.receipt(bot)).toMatchObject({ provider_deleted: 1, provider_missing: 0, last_error: null })
  })

  test('are given up after days, and the receipt says that none was deleted', async () => {
    const away = await openProvider({ one: 'own-key' }, 401)
    const bot = await deletionOf(['one'])
    await world.change('deletions', {}, { tries: 24 })
    expect(await run(world.files, away.provider)).toEqual(DONE)
    expect(await world.receipt(bot)).toMatchObject({ provider_deleted: 0, provider_missing: 0 })
    expect(await idsOf(bot)).toEqual({ transcription_ids: [], secrets: null })
  })
})
