/** An attempt whose process is over: what it still had to say, what it recorded, and how its bot ends. */
import { processEnded } from '../bots/crash.ts'
import { isClosed, namedAttempt } from '../bots/row.ts'
import type { EndEvidence, FileStore, Launcher, Log } from '../ports.ts'
import { readBot } from '../store/bots.ts'
import { endBotLease, takeBotLease } from '../store/claims.ts'
import type { Database } from '../store/database.ts'
import { recordedSeconds } from '../store/events.ts'
import { launchCleaned, launchEnded, launchKept, type OpenLaunch } from '../store/launches.ts'
import { changeBot } from './change-bot.ts'
import { ingestJournal } from './journal.ts'
import { type Recover, recoverAttempt } from './recovery.ts'

/** Longer than a recovery takes. */
const LEASE_SECONDS = 20 * 60
/** Seconds between tries to read or recover what a bot left. */
const RETRY_SECONDS = 30
/** Seconds after the end of the process in which these are tried; then the bot ends with what there is. */
const TRY_FOR_SECONDS = 900

export interface FinishTools {
  database: Database
  launcher: Launcher
  files: FileStore
  recover: Recover
  log: Log
  /** Of this reconciler. */
  owner: string
}

/** Repeatable: every step looks at what is stored. Two reconcilers may do it at once; one of them has the bot's lease. */
export async function finishAttempt(tools: FinishTools, launch: OpenLaunch, evidence: EndEvidence): Promise<void> {
  const { database, launcher, log } = tools
  const { bot_id: botId, attempt } = launch
  const handle = launch.handle!
  const isNews = await launchEnded(database, botId, attempt, evidence)
  if (isNews) {
    const { exitCode, signal, reason } = evidence
    log.info({ bot: botId, attempt, exitCode, signal, reason }, 'Bot process ended')
  }
  const outcome = await finishBot(tools, launch, evidence)
  if (outcome === 'again') return
  if (outcome === 'kept') {
    await launchKept(database, botId, attempt)
    return
  }
  await launcher.clean(handle)
  await launchCleaned(database, botId, attempt)
}

/** `again`: it has to be tried again. `kept`: what could not be recovered stays where it is. */
type Outcome = 'done' | 'again' | 'kept'

async function finishBot(tools: FinishTools, launch: OpenLaunch, evidence: EndEvidence): Promise<Outcome> {
  const { database, files, launcher, log, owner } = tools
  const { bot_id: botId, attempt } = launch
  const bot = await readBot(database, botId)
  if (bot === undefined || isClosed(bot) || bot.phase === 'due' || namedAttempt(bot) !== attempt) return 'done'
  // The launcher's answer is not stored yet, or the lease of its process is not over.
  if (bot.phase === 'launching') return 'again'
  if (!(await takeBotLease(database, botId, owner, LEASE_SECONDS))) return 'again'

  const dead = { botId, attempt, workFolder: launcher.workFolder?.(launch.handle!) ?? null }
  const isLastTry = (launch.ended_for ?? 0) > TRY_FOR_SECONDS
  let recovered: number | null = null
  let isKept = false
  try {
    const events = await ingestJournal(database, files, dead, { isOver: true })
    const now = await readBot(database, botId)
    if (now === undefined || isClosed(now)) return 'done'
    if (now.recording_started_at !== null) {
      const result = await recoverAttempt(tools, dead)
      recovered = result.seconds
      if (result.problems.length > 0) throw new Error(result.problems.join('; '))
      log.warn({ bot: botId, attempt, events, ...result }, 'Recording of a dead bot recovered')
    }
  } catch (error) {
    log.error({ bot: botId, attempt, error: String(error) }, 'What a dead bot left could not be read or recovered')
    if (!isLastTry) {
      await endBotLease(database, botId, owner, RETRY_SECONDS)
      return 'again'
    }
    isKept = true
  }
  const seconds = recovered ?? (await recordedSeconds(database, botId, attempt))
  const wasChanged = await changeBot(database, botId, (current) =>
    namedAttempt(current) === attempt && current.lease_owner === owner
      ? withoutLease(processEnded(current, { evidence, recordedSeconds: seconds, now: new Date() }))
      : null,
  )
  if (wasChanged) return isKept ? 'kept' : 'done'
  await endBotLease(database, botId, owner)
  return 'again'
}

function withoutLease(change: ReturnType<typeof processEnded>) {
  return { ...change, patch: { ...change.patch, lease_owner: null, lease_until: null } }
}
