/** One attempt: its job, the launcher's answer, and what that means for the bot. */
import type { BotChange } from '../bots/change.ts'
import { launchFailed } from '../bots/crash.ts'
import { impossible, noRoom } from '../bots/launch.ts'
import { type BotSecrets, secretsPlace } from '../bots/request.ts'
import { type FileStore, type Launcher, type LaunchHandle, type Log, NoRoom, type Seals } from '../ports.ts'
import { lockBot } from '../store/bots.ts'
import { applyChange } from '../store/changes.ts'
import { nowOf } from '../store/clock.ts'
import type { Database, Tx } from '../store/database.ts'
import { launchCleaned, launchEnded, removeLaunch } from '../store/launches.ts'
import type { BotRow } from '../store/tables.ts'
import { ImpossibleJob, jobOf } from './job.ts'
import type { LaunchWriter } from './launch-writer.ts'

/** A start that is left over from a lease this close to its end is not begun. */
const LEASE_MARGIN_MS = 3_000

export interface LaunchTools {
  database: Database
  launcher: Launcher
  files: FileStore
  seals: Seals
  log: Log
  writer: LaunchWriter
  /** Address of the control link, as bots reach it. */
  linkUrl: string
  waitForWelcomeSeconds: number
}

export interface Claim {
  bot: BotRow
  owner: string
  /** The attempt's link token. */
  token: string
  /** `performance.now()` of the database's time `bot.updated_at`. */
  claimedAt: number
  /** `performance.now()` at which the lease is over. */
  leaseEnds: number
}

/**
 * Starts the claimed bot outside of any transaction and stores the outcome. Calls `onStarted` in between. Rejects only where
 * the outcome cannot be stored.
 */
export async function launchBot(tools: LaunchTools, claim: Claim, onStarted: () => void): Promise<void> {
  const { launcher, log } = tools
  const { bot } = claim
  const { attempt } = bot
  let handle: LaunchHandle
  try {
    const job = makeJob(tools, claim)
    // A process that was stopped for a while holds nothing any more: another launcher may have taken the bot.
    if (performance.now() > claim.leaseEnds - LEASE_MARGIN_MS) {
      log.warn({ bot: bot.id, attempt }, 'Launch abandoned: its lease is over')
      return
    }
    handle = await launcher.start({ botId: bot.id, attempt, job })
  } catch (error) {
    await storeFailure(tools, claim, error as Error)
    return
  }
  onStarted()
  const now = new Date(bot.updated_at.getTime() + performance.now() - claim.claimedAt)
  const isWanted = await tools.writer.store({ botId: bot.id, attempt, handle, claimed: { bot, now } })
  log.info({ bot: bot.id, attempt, name: handle.name }, 'Bot started')
  if (isWanted) return
  log.warn({ bot: bot.id, attempt }, 'Started bot is stopped: it was cancelled, or its lease was lost')
  await launcher.stop(handle, 0)
}

function makeJob({ files, seals, linkUrl, waitForWelcomeSeconds }: LaunchTools, { bot, token }: Claim) {
  const secrets = bot.secrets === null ? {} : (JSON.parse(seals.open(bot.secrets, secretsPlace(bot.id))) as BotSecrets)
  return jobOf({
    bot,
    secrets,
    storage: files.jobStorage(bot.id, bot.attempt),
    link: { url: linkUrl, token },
    waitForWelcomeSeconds,
  })
}

async function storeFailure({ database, log }: LaunchTools, claim: Claim, error: Error): Promise<void> {
  const { attempt } = claim.bot
  const write = async (tx: Tx, bot: BotRow, change: BotChange) => {
    await applyChange(tx, bot, change)
  }
  await database.transaction().execute(async (tx) => {
    const bot = await lockBot(tx, claim.bot.id)
    const now = await nowOf(tx)
    const isOurs = bot !== undefined && bot.phase === 'launching' && bot.lease_owner === claim.owner
    if (error instanceof NoRoom) {
      await removeLaunch(tx, claim.bot.id, attempt)
      if (isOurs) await write(tx, bot, noRoom(bot, error.message, now))
      return
    }
    await launchEnded(tx, claim.bot.id, attempt, neverRan(error.message))
    await launchCleaned(tx, claim.bot.id, attempt)
    if (!isOurs) return
    if (error instanceof ImpossibleJob) await write(tx, bot, impossible(bot, error.code, error.message, now))
    else await write(tx, bot, launchFailed(bot, error.message, now))
  })
  const fields = { bot: claim.bot.id, attempt, error: error.message }
  if (error instanceof NoRoom) log.info(fields, 'Bot waits: the launcher has no room')
  else log.error(fields, 'Bot could not be started')
}

function neverRan(reason: string) {
  return { exitCode: null, signal: null, isOutOfMemory: false, reason, endedAt: null, logTail: null }
}
