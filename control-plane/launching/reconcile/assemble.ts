/** Joins the parts of a recording, and closes their bot. */

import type { Job } from '@standin/wire/job.ts'
import { changeBot } from '../../bots/actions/change-bot.ts'
import { JOINED } from '../../bots/file-keys.ts'
import { type Part, partsOf, secondsOf } from '../../bots/parts.ts'
import { type Assembled, assembled } from '../../bots/resume.ts'
import { whileHeld } from '../../platform/lease.ts'
import { readBot } from '../../store/bots/bots.ts'
import { endBotLease, keepBotLease, takeBotLease } from '../../store/bots/claims.ts'
import { addRecoveredFiles, type RecoveredFile } from '../../store/bots/recovered-files.ts'
import { nowOf } from '../../store/clock.ts'
import type { BotRow } from '../../store/rows/index.ts'
import { type FinishTools, LEASE_SECONDS, RETRY_SECONDS, TRY_FOR_SECONDS } from './finish.ts'
import { filesOfAttempt } from './recovery.ts'
import { traceEnd } from './trace-end.ts'

/**
 * Seconds after which a bot ends although its parts cannot be read: so long it has waited, and so long this process has tried.
 * After a downtime the storage may be back later than the database.
 */
const LAST_TRY = { waitedSeconds: 2400, triedSeconds: 600 }

/** Joins the recordings of the attempts into one, in order of time. Rejects if that is impossible now. */
export type JoinParts = (
  parts: {
    botId: string
    /** The places of the attempts' files. */
    from: readonly Job['storage'][]
    to: Job['storage']
    /** When the recording began; the time until the first part is a gap. */
    beganAt: Date | null
  },
  signal?: AbortSignal,
) => Promise<{
  /** Media that were made. */
  files: { name: string; seconds: number | null }[]
}>

/** Repeatable. Two reconcilers may do it at once; one of them has the bot's lease. */
export async function assembleBot(tools: FinishTools, botId: string, signal: AbortSignal): Promise<void> {
  const { database, log, owner, finishLeaseSeconds: seconds = LEASE_SECONDS } = tools
  if (!(await takeBotLease(database, botId, owner, seconds))) return
  const keep = () => keepBotLease(database, botId, owner, seconds)
  await whileHeld({ seconds, keep, log, fields: { bot: botId }, signal }, async (whileLeased) => {
    try {
      const bot = await readBot(database, botId)
      if (bot?.phase !== 'assembling') return
      const files = await tools
        .recoverInTurn(() => filesOf(tools, bot, whileLeased))
        .catch((error) => lastPartOf(tools, bot, error, whileLeased))
      tools.unreadableSince.delete(botId)
      await changeBot(
        database,
        botId,
        (now, at) => (now.phase === 'assembling' && now.lease_owner === owner ? assembled(now, files, at) : null),
        (tx) => addRecoveredFiles(tx, botId, JOINED, files.joined ?? []),
      )
      await traceEnd(tools, botId)
    } finally {
      await endBotLease(database, botId, owner, whileLeased.aborted ? 0 : RETRY_SECONDS)
    }
  })
}

interface Put extends Assembled {
  /** Files of the joined recording: the bot gets them with its end, if the lease is still held. */
  joined?: RecoveredFile[]
}

/** What there is without the storage, once it could not be read for so long. Rejects with the error before. */
async function lastPartOf(
  { database, log, unreadableSince }: FinishTools,
  bot: BotRow,
  error: unknown,
  signal: AbortSignal,
): Promise<Put> {
  const since = unreadableSince.get(bot.id) ?? performance.now()
  unreadableSince.set(bot.id, since)
  const waitedMs = (await nowOf(database)).getTime() - bot.updated_at.getTime()
  const isLong = waitedMs >= LAST_TRY.waitedSeconds * 1000 && performance.now() - since >= LAST_TRY.triedSeconds * 1000
  if (signal.aborted || !isLong) throw error
  log.error(
    { team: bot.team_id, bot: bot.id, error: String(error) },
    'The parts of a recording could not be looked for',
  )
  const last = partsOf(bot).at(-1)!
  const message = `The parts of the recording could not be read, so only the last one is served. ${(error as Error).message}`
  return { filesAttempt: last.attempt, seconds: secondsOf([last]), message }
}

async function filesOf(tools: FinishTools, bot: BotRow, signal: AbortSignal): Promise<Put> {
  signal.throwIfAborted()
  const { files, joinParts, log } = tools
  const parts = partsOf(bot)
  const there: Part[] = []
  for (const part of parts) if ((await mediaOf(tools, bot.id, part.attempt)).length > 0) there.push(part)
  const missing = parts.length - there.length
  if (there.length === 0)
    return { filesAttempt: parts.at(-1)!.attempt, seconds: 0, message: 'No part of the recording was found.' }
  if (parts.length === 1)
    return {
      filesAttempt: there[0]!.attempt,
      seconds: secondsOf(there),
      message: 'The recording has one part: the bot did not record again after it was lost.',
    }
  const storage = files.jobStorage(bot.id, JOINED)
  try {
    const from = there.map(({ attempt }) => files.jobStorage(bot.id, attempt))
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TRY_FOR_SECONDS * 1000)])
    const { files: media } = await joinParts(
      { botId: bot.id, from, to: storage, beganAt: bot.recording_started_at },
      limit,
    )
    const joined = await filesOfAttempt(files, bot.id, JOINED, media)
    const seconds = media.reduce((most, file) => Math.max(most, file.seconds ?? 0), 0) || secondsOf(there)
    const message = `The ${there.length === 1 ? 'part' : `${there.length} parts`} of the recording became one.`
    return { filesAttempt: JOINED, seconds, message: withMissing(message, missing), joined }
  } catch (error) {
    if (signal.aborted) throw error
    log.error({ team: bot.team_id, bot: bot.id, error: String(error) }, 'The parts of a recording could not be joined')
    const joined = await filesApart(tools, bot.id, there)
    const message = `The parts of the recording could not be joined, so each stands for itself. ${(error as Error).message}`
    return { filesAttempt: JOINED, seconds: secondsOf(there), message: withMissing(message, missing), joined }
  }
}

function withMissing(message: string, missing: number): string {
  if (missing === 0) return message
  return `${message} ${missing === 1 ? 'The files of one part are' : `The files of ${missing} parts are`} lost with its machine.`
}

async function mediaOf({ files }: FinishTools, botId: string, attempt: number) {
  const stored = await filesOfAttempt(files, botId, attempt, [])
  return stored.filter(({ name, bytes }) => /^(?:video\.mp4|audio\.m4a)$/.test(name) && bytes > 0)
}

/** The last part bears the names that links ask for; those before it bear them below `part-1/` and so on. */
async function filesApart({ files }: FinishTools, botId: string, parts: readonly Part[]): Promise<RecoveredFile[]> {
  const apart = parts.map(async ({ attempt, seconds }, place) => {
    const stored = await filesOfAttempt(files, botId, attempt, [])
    const under = place === parts.length - 1 ? '' : `part-${place + 1}/`
    return stored.map((file) => ({
      ...file,
      name: under + file.name,
      durationSeconds: /\.(?:mp4|m4a)$/.test(file.name) ? seconds : null,
    }))
  })
  return (await Promise.all(apart)).flat()
}
