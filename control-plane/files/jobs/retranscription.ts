/** Makes transcripts again: fetches the sound, has it transcribed, stores the files and ends the request. */
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJson } from '@standin/wire/text/json-text.ts'
import { spread } from '@standin/wire/time/backoff.ts'
import { startLoop } from '@standin/wire/time/loop.ts'
import { transcriptIdsOf } from '@standin/wire/transcript-ids.ts'
import { z } from 'zod'
import { AUDIO_FILE, finishRetranscription, type RetranscriptionResult } from '../../bots/actions/retranscribe.ts'
import { whileHeld } from '../../platform/lease.ts'
import type { FileStore, Log, Seals } from '../../platform/ports.ts'
import { artifactOfBot } from '../../store/bots/artifacts.ts'
import type { RecoveredFile } from '../../store/bots/recovered-files.ts'
import {
  type ClaimedRetranscription,
  claimRetranscription,
  openApiKey,
  postponeRetranscription,
  retranscriptionLease,
} from '../../store/bots/retranscriptions.ts'
import type { Database } from '../../store/database.ts'

const LEASE_SECONDS = 60
const LOOK_EVERY_MS = 4000
const JITTER = 0.1
/** Seconds after a failed try; after the last one the bot fails with TRANSCRIPTION_FAILED. */
const RETRY_SECONDS = [30, 120]
/** Who spoke when; the words are given to these people. */
const TURNS_FILE = 'diarization.jsonl'
/** With them, only what an earlier transcript has no words of is transcribed. */
const EARLIER_FILES = ['transcription.json', 'raw_transcription.json']
const TRANSCRIPT_TYPES: Readonly<Record<string, string>> = {
  'transcription.json': 'application/json',
  'raw_transcription.json': 'application/json',
  'transcription.vtt': 'text/vtt',
  'transcription.srt': 'application/x-subrip',
}
const stretchSchema = z.object({ start: z.number(), end: z.number() })
const transcriptSchema = z.object({
  provider: z.string(),
  result: z.object({ total_duration: z.number().min(0), holes: z.array(stretchSchema).default([]) }),
})
type MadeTranscript = z.infer<typeof transcriptSchema>

export interface Speech {
  provider: string
  /** Null: the operator's. */
  apiKey: string | null
  customParams: Record<string, unknown> | null
}

/**
 * Writes the transcript's files beside `audio.m4a` in the folder, whose name is the bot's id. Rejects with
 * `NoTranscript`, or with another error where the program itself did not work.
 */
export type Transcribe = (folder: string, speech: Speech, signal: AbortSignal) => Promise<void>

/** The message is a sentence for the caller. */
export class NoTranscript extends Error {
  override name = 'NoTranscript'
}

export interface RetranscriptionSettings {
  database: Database
  files: FileStore
  seals: Seals
  transcribe: Transcribe
  log: Log
  /** Holds the sound while a transcript is made. Nothing else uses it: it is emptied at the start. */
  workFolder: string
  lookEveryMs?: number
  retrySeconds?: readonly number[]
}

export interface Retranscriptions {
  /** Stops the work under way, which another process or the next start begins again. */
  close(): Promise<void>
}

/** One at a time in a process, because a transcript takes a whole core. */
export function startRetranscriptions(settings: RetranscriptionSettings): Retranscriptions {
  const { database, log, lookEveryMs = LOOK_EVERY_MS } = settings
  const claim = { owner: randomUUID(), leaseSeconds: LEASE_SECONDS }
  // A process that was killed leaves its sound there.
  const emptied = rm(settings.workFolder, { recursive: true, force: true }).catch((error: unknown) =>
    log.warn({ error: String(error) }, 'Files of an earlier transcription could not be removed'),
  )
  let botId: string | undefined

  async function round(signal: AbortSignal): Promise<number> {
    await emptied
    botId = undefined
    const claimed = await claimRetranscription(database, claim)
    if (claimed === null) return spread(lookEveryMs, JITTER)
    botId = claimed.botId
    const keep = () => retranscriptionLease.renew(database, claimed.id, claim)
    const lease = { seconds: LEASE_SECONDS, keep, log, fields: { bot: botId }, signal }
    await whileHeld(lease, (whileLeased) => work(settings, claim.owner, claimed, whileLeased))
    return 0
  }

  return startLoop(round, {
    onError: (error) => log.error({ bot: botId, error: String(error) }, 'A retranscription could not be processed'),
    afterErrorMs: lookEveryMs,
  })
}

async function work(
  settings: RetranscriptionSettings,
  owner: string,
  task: ClaimedRetranscription,
  signal: AbortSignal,
): Promise<void> {
  const { database, files, seals, log, retrySeconds = RETRY_SECONDS } = settings
  const { id, botId, provider, tries } = task
  try {
    log.info({ bot: botId, provider, tries }, 'Retranscription started')
    const result = await transcriptOf(settings, task, signal)
    const end = await finishRetranscription(database, seals, owner, task, result)
    if (end === 'data_deleted') await files.deletePrefix(botId)
    log.info({ bot: botId, provider, end }, 'Retranscription ended')
  } catch (error) {
    if (signal.aborted) {
      await postponeRetranscription(database, id, owner, 0, 'The transcription was interrupted.')
      return
    }
    const sentence = error instanceof NoTranscript ? error.message : 'The transcription could not be run.'
    log.warn({ bot: botId, provider, tries, error: String(error) }, 'Retranscription failed')
    const wait = retrySeconds[tries - 1]
    if (wait === undefined) await finishRetranscription(database, seals, owner, task, { failure: sentence })
    else await postponeRetranscription(database, id, owner, wait, sentence)
  }
}

async function transcriptOf(
  { database, files, seals, transcribe, workFolder }: RetranscriptionSettings,
  task: ClaimedRetranscription,
  signal: AbortSignal,
): Promise<RetranscriptionResult> {
  const { botId, provider, customParams } = task
  const apiKey = openApiKey(seals, task)
  const audio = await artifactOfBot(database, botId, AUDIO_FILE)
  if (audio === undefined) return { failure: 'The recording has no audio any more.' }
  const turns = await artifactOfBot(database, botId, TURNS_FILE)
  // Others may pass: the program leaves root, and its own folder is closed.
  await mkdir(workFolder, { recursive: true, mode: 0o711 })
  const work = await mkdtemp(join(workFolder, 'work-'))
  try {
    const folder = join(work, botId)
    await mkdir(folder, { mode: 0o700 })
    if (!(await files.copy(audio.key, join(folder, AUDIO_FILE), signal)))
      return { failure: 'The recording has no audio any more.' }
    if (turns) await files.copy(turns.key, join(folder, TURNS_FILE), signal)
    for (const name of EARLIER_FILES) {
      const earlier = await artifactOfBot(database, botId, name)
      if (earlier) await files.copy(earlier.key, join(folder, name), signal)
    }
    const earlier = await readMade(folder)
    await transcribe(folder, { provider, apiKey, customParams }, signal)
    const stored: RecoveredFile[] = []
    for (const [name, type] of Object.entries(TRANSCRIPT_TYPES)) {
      const bytes = await readFile(join(folder, name))
      const key = `${audio.key.slice(0, -AUDIO_FILE.length)}${name}`
      await files.write(key, bytes, type)
      stored.push({ name, key, bytes: bytes.length, durationSeconds: null })
    }
    const made = await readMade(folder)
    if (made === null) throw new Error('The transcript cannot be read')
    const raw = JSON.parse(await readFile(join(folder, 'raw_transcription.json'), 'utf8'))
    return {
      seconds: transcribedSeconds(made, earlier),
      ids: transcriptIdsOf(provider, raw),
      attempt: audio.attempt,
      files: stored,
    }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function readMade(folder: string): Promise<MadeTranscript | null> {
  const document = await readFile(join(folder, 'transcription.json'), 'utf8')
    .then(parseJson)
    .catch(() => null)
  return transcriptSchema.safeParse(document).data ?? null
}

/** What was transcribed now: all of it or, as the program does it, the holes of an earlier transcript by the same provider; without the holes that are left. */
function transcribedSeconds(made: MadeTranscript, earlier: MadeTranscript | null): number {
  const isFilled = earlier !== null && earlier.provider === made.provider && earlier.result.holes.length > 0
  const asked = isFilled ? lengthOf(earlier.result.holes) : made.result.total_duration
  return Math.max(0, asked - lengthOf(made.result.holes))
}

/** Holes of several people may be of one moment. */
function lengthOf(holes: readonly z.infer<typeof stretchSchema>[]): number {
  let [until, length] = [0, 0]
  for (const { start, end } of holes.toSorted((one, other) => one.start - other.start)) {
    length += Math.max(0, end - Math.max(start, until))
    until = Math.max(until, end)
  }
  return length
}

/** Writes parameters of the provider where the program reads them. */
export async function writeParams(folder: string, params: Record<string, unknown>): Promise<string> {
  const file = join(folder, '..', 'params.json')
  await writeFile(file, JSON.stringify(params), { mode: 0o600 })
  return file
}
