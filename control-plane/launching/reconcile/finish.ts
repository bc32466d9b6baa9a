/** Finishes an attempt whose process is over: its last events, its recording, and the end of its bot. */

import { toError } from '@standin/wire/text/error-text.ts'
import type { InTurn } from '@standin/wire/time/in-turn.ts'
import { changeBot } from '../../bots/actions/change-bot.ts'
import { type KnownOfDead, processEnded } from '../../bots/crash.ts'
import { hasRecorded } from '../../bots/parts.ts'
import { mayResume, resumed } from '../../bots/resume.ts'
import { decides, isOver, NO_LEASE, namedAttempt } from '../../bots/row.ts'
import { whileHeld } from '../../platform/lease.ts'
import type { Meters } from '../../platform/meters.ts'
import type { EndEvidence, FileStore, Launcher, Log } from '../../platform/ports.ts'
import type { Traces } from '../../platform/traces.ts'
import { readBot } from '../../store/bots/bots.ts'
import { endBotLease, keepBotLease, takeBotLease } from '../../store/bots/claims.ts'
import { recordedSeconds } from '../../store/bots/events.ts'
import { nowOf } from '../../store/clock.ts'
import type { Database } from '../../store/database.ts'
import {
  launchCleaned,
  launchEnded,
  launchLogged,
  type OpenLaunch,
  wantRecovery,
} from '../../store/launches/launches.ts'
import type { BotRow } from '../../store/rows/index.ts'
import { reasonOfEnd } from './action-reason.ts'
import type { JoinParts } from './assemble.ts'
import { type AttemptFiles, ingestJournal, LOG_NAME, readOf } from './journal.ts'
import { type Recover, recoverAttempt } from './recovery.ts'
import { traceEnd } from './trace-end.ts'

/** Kept while the bot is finished. A process that is gone holds the bot for no longer. */
export const LEASE_SECONDS = 60
/** Seconds between tries to read or recover what a bot left. */
export const RETRY_SECONDS = 30
/** Seconds since the end was first seen in which these are tried; then the bot ends with what there is. */
export const TRY_FOR_SECONDS = 900

export interface FinishTools {
  database: Database
  launcher: Launcher
  files: FileStore
  recover: Recover
  joinParts: JoinParts
  /** Whether a bot that crashes in its meeting rejoins it. */
  resumesBots: boolean
  /** Called when a bot is due again. */
  onDue?: () => void
  log: Log
  meters?: Meters
  traces?: Traces
  /** Identifies this reconciler in leases. */
  owner: string
  /** When this reconciler first could not read the parts of a bot, by bot. */
  unreadableSince: Map<string, number>
  /** Journals are read, and recordings recovered, some at a time. Neither waits for the other. */
  readInTurn: InTurn
  recoverInTurn: InTurn
  /** Length of the lease of a bot that is being finished. */
  finishLeaseSeconds?: number
}

/**
 * Stores how the attempt ended, and removes its remaining files unless its bot needs them. True if the bot has to be
 * finished first (`finishBot`).
 */
export async function endAttempt(tools: FinishTools, launch: OpenLaunch, evidence: EndEvidence): Promise<boolean> {
  const { database, log } = tools
  const { bot_id: botId, team_id: team, attempt } = launch
  const isNews = await launchEnded(database, botId, attempt, evidence)
  if (isNews) {
    const { exitCode, signal, reason } = evidence
    tools.meters?.count('reconciler_actions', { action: 'finish', reason: reasonOfEnd(evidence) })
    log.info({ team, bot: botId, attempt, exitCode, signal, reason }, 'Bot process ended')
  }
  const bot = await readBot(database, botId)
  if (bot === undefined || isOver(bot) || !decides(bot, attempt)) {
    if (launch.is_part) return true
    await removeRest(tools, launch)
    return false
  }
  // The launcher's answer is not stored yet, or the lease of its process is not over.
  return bot.phase !== 'launching'
}

/**
 * Reads and recovers what the attempt left, and ends its bot; takes as long as a recovery does. Repeatable: every step
 * looks at what is stored. Two reconcilers may do it at once; one of them has the bot's lease. Aborted, it gives the lease
 * back, and the bot is finished by another reconciler. A launch without a handle is one that was given up.
 */
export async function finishBot(
  tools: FinishTools,
  launch: OpenLaunch,
  evidence: EndEvidence,
  signal: AbortSignal,
): Promise<void> {
  const { database, log, owner, finishLeaseSeconds = LEASE_SECONDS } = tools
  const { bot_id: botId, team_id: team, attempt } = launch
  if (!(await takeBotLease(database, botId, owner, finishLeaseSeconds))) return
  const keep = () => keepBotLease(database, botId, owner, finishLeaseSeconds)
  const fields = { team, bot: botId, attempt }
  await whileHeld({ seconds: finishLeaseSeconds, keep, log, fields, signal }, async (whileLeased) => {
    const outcome = await finishLeased(tools, launch, evidence, whileLeased)
    if (outcome === 'done') await removeRest(tools, launch)
    if (outcome === 'kept') await launchCleaned(database, botId, attempt, launch.handle !== null)
  })
}

async function removeRest({ database, launcher }: FinishTools, { bot_id: botId, attempt, handle }: OpenLaunch) {
  if (handle !== null) await launcher.clean(handle)
  await launchCleaned(database, botId, attempt)
}

/** `again`: it has to be tried again. `kept`: files that could not be recovered stay in place. */
type Outcome = 'done' | 'again' | 'kept'

async function finishLeased(
  tools: FinishTools,
  launch: OpenLaunch,
  evidence: EndEvidence,
  signal: AbortSignal,
): Promise<Outcome> {
  const { database, files, log, owner } = tools
  const { bot_id: botId, team_id: team, attempt } = launch
  const isLastTry = (launch.end_seen_for ?? 0) > TRY_FOR_SECONDS
  let known: KnownOfDead | undefined
  let isKept = false
  try {
    const read = await readJournal(tools, launch, signal)
    const bot = await readBot(database, botId)
    if (bot === undefined || isOver(bot)) return 'done'
    // People wait in the meeting, so a journal that cannot be read now is read later, with the recording.
    const now = await nowOf(database)
    const recordedSeconds = await secondsOf(database, bot, attempt)
    known = { evidence: byDatabaseClock(evidence, now), recordedSeconds, now }
    // A bot that was given up has been away from its meeting for long.
    if (launch.handle !== null && mayResume(bot, known, tools.resumesBots)) return await goOn(tools, launch, known)
    if (read instanceof Error) throw read
    const { dead, events } = read
    // Its own log says more than what it printed.
    const ownLog = bot.report === null ? await readOf(files, dead, LOG_NAME) : null
    if (ownLog !== null) await launchLogged(database, botId, attempt, `${ownLog}\n${evidence.logTail ?? ''}`)
    if (bot.recording_started_at !== null && bot.report === null) {
      const result = await tools.recoverInTurn(() => {
        signal.throwIfAborted()
        return recoverAttempt(tools, dead, signal)
      })
      known.recordedSeconds = result.seconds ?? known.recordedSeconds
      if (result.problems.length > 0) throw new Error(result.problems.join('; '))
      log.warn({ team, bot: botId, attempt, events, ...result }, 'Recording of a dead bot recovered')
    }
  } catch (error) {
    if (signal.aborted) {
      await endBotLease(database, botId, owner)
      return 'again'
    }
    log.error(
      { team, bot: botId, attempt, error: String(error) },
      'The journal or the recording of a dead bot could not be read or recovered',
    )
    if (!isLastTry || known === undefined) {
      await endBotLease(database, botId, owner, RETRY_SECONDS)
      return 'again'
    }
    isKept = true
  }
  const end = known
  const wasChanged = await changeBot(database, botId, (current, now) =>
    namedAttempt(current) === attempt && current.lease_owner === owner
      ? withoutLease(processEnded(current, { ...end, now }))
      : null,
  )
  if (wasChanged) {
    await traceEnd(tools, botId)
    return isKept ? 'kept' : 'done'
  }
  tools.meters?.count('lease_losses', { work: 'dead_bot', how: 'overtaken' })
  await endBotLease(database, botId, owner)
  return 'again'
}

/** The end is compared with times of the database, and the launcher's clock may be off. */
function byDatabaseClock({ endedAt, ...evidence }: EndEvidence, now: Date): EndEvidence {
  return { ...evidence, endedAt: endedAt && new Date(now.getTime() - (Date.now() - endedAt.getTime())) }
}

/** Seconds that the attempt recorded, from its final report, else from its last progress report. */
async function secondsOf(database: Database, bot: BotRow, attempt: number): Promise<number | null> {
  return bot.report === null ? recordedSeconds(database, bot.id, attempt) : bot.duration_seconds
}

async function readJournal(
  { database, files, launcher, readInTurn }: FinishTools,
  { bot_id: botId, attempt, handle }: OpenLaunch,
  signal: AbortSignal,
): Promise<{ dead: AttemptFiles; events: number } | Error> {
  try {
    return await readInTurn(async () => {
      signal.throwIfAborted()
      const workFolder = handle && ((await launcher.workFolder?.(handle)) ?? null)
      const dead = { botId, attempt, workFolder }
      return { dead, events: await ingestJournal(database, files, dead, { isOver: true }) }
    })
  } catch (error) {
    if (signal.aborted) throw error
    return toError(error)
  }
}

/** The bot waits for its next attempt, and the recording of this one is recovered in the meantime. */
async function goOn(tools: FinishTools, launch: OpenLaunch, known: KnownOfDead): Promise<Outcome> {
  const { bot_id: botId, team_id: team, attempt } = launch
  const { database, log, owner } = tools
  const goesOn = await changeBot(
    database,
    botId,
    (bot, now) => {
      const isOurs = namedAttempt(bot) === attempt && bot.lease_owner === owner
      return isOurs && mayResume(bot, { ...known, now }, true) ? resumed(bot, { ...known, now }) : null
    },
    async (tx, bot) => {
      if (hasRecorded(bot)) await wantRecovery(tx, botId, attempt)
    },
  )
  if (!goesOn) {
    await endBotLease(database, botId, owner)
    return 'again'
  }
  log.warn({ team, bot: botId, attempt }, 'Bot is due again: it crashed in its meeting and rejoins it')
  tools.onDue?.()
  // Its other files stay until a later pass has recovered the recording.
  return 'again'
}

function withoutLease(change: ReturnType<typeof processEnded>) {
  return { ...change, patch: { ...change.patch, ...NO_LEASE } }
}
