/** One attempt: its job, the launcher's answer, and what that means for the bot. */

import type { Job } from '@standin/wire/job.ts'
import type { PlatformName } from '@standin/wire/platforms.ts'
import type { InTurn } from '@standin/wire/time/in-turn.ts'
import type { PageWords } from '@standin/wire/words.ts'
import type { BotChange } from '../../bots/change.ts'
import { launchFailed, processEnded } from '../../bots/crash.ts'
import { credentialIdOf, grantRequestOf } from '../../bots/grant-request.ts'
import { impossible, noRoom, waitsForToken } from '../../bots/launch.ts'
import { decides, isOver } from '../../bots/row.ts'
import { type Meters, NO_METERS } from '../../platform/meters.ts'
import {
  type FileStore,
  GrantDelayed,
  GrantRefused,
  type JoinGrant,
  type JoinGrants,
  type Launcher,
  type LaunchHandle,
  type Log,
  NoRoom,
  type Seals,
} from '../../platform/ports.ts'
import { NO_TRACES, type Span, type Traces, traceOf } from '../../platform/traces.ts'
import { lockBot } from '../../store/bots/bots.ts'
import { applyChange } from '../../store/bots/changes.ts'
import type { ClaimedBot } from '../../store/bots/claims.ts'
import { wasAgentSwitchedOff } from '../../store/bots/commands.ts'
import { openSecrets } from '../../store/bots/secrets.ts'
import { nowOf } from '../../store/clock.ts'
import { teamsAppOf } from '../../store/connections/connections.ts'
import type { Database } from '../../store/database.ts'
import { closeLaunch, removeLaunch } from '../../store/launches/launches.ts'
import type { BotRow } from '../../store/rows/index.ts'
import { endWithout } from '../launchers/shared/evidence.ts'
import { traceEnd } from '../reconcile/trace-end.ts'
import { ImpossibleJob, type JobParts, jobOf, type ZoomApp } from './job.ts'
import type { LaunchWriter } from './launch-writer.ts'

/** A start that is left over from a lease this close to its end is not begun. */
const LEASE_MARGIN_MS = 3_000

export interface LaunchTools {
  database: Database
  launcher: Launcher
  files: FileStore
  seals: Seals
  /** Resolves the stored credentials that bots name. */
  grants: JoinGrants
  zoomApp?: ZoomApp | null
  /** The words of a new bot; null: the built-in ones of the worker. */
  words?: () => Promise<PageWords | null>
  /** The proxy of the browsers of a team's bots on a platform. */
  egressOf?: (team: string, platform: PlatformName) => Job['egress']
  log: Log
  meters?: Meters
  traces?: Traces
  writer: LaunchWriter
  /** Address of the control link, as bots reach it. */
  linkUrl: string
  waitForWelcomeSeconds: number
}

export interface Claim {
  bot: ClaimedBot
  owner: string
  /** The attempt's link token. */
  token: string
  /** `performance.now()` of the database's time `bot.updated_at`. */
  claimedAt: number
  /** `performance.now()` at which the lease is over. */
  leaseEnds: number
}

export interface LaunchSteps {
  /** Limits the starts at once when the tokens of many bots arrive together. */
  startInTurn?: InTurn
  /** The launcher has answered; the outcome is not stored yet. */
  onStarted?: () => void
}

/** Starts the claimed bot outside of any transaction and stores the outcome. Rejects only if that cannot be stored. */
export async function launchBot(tools: LaunchTools, claim: Claim, steps: LaunchSteps = {}): Promise<void> {
  const { startInTurn = atOnce, onStarted } = steps
  const { log } = tools
  const { bot } = claim
  const { attempt } = bot
  const span = (tools.traces ?? NO_TRACES).begin('launch', {
    parent: traceOf(bot),
    attributes: {
      'standin.bot.id': bot.id,
      'standin.team.id': bot.team_id,
      'standin.attempt': attempt,
      'standin.launcher': tools.launcher.kind,
    },
  })
  let handle: LaunchHandle | null
  try {
    const grant = await grantOf(tools.grants, bot)
    const storage = { ...tools.files.jobStorage(bot.id, attempt), ...(await tools.files.prefixKeys?.(bot.id, attempt)) }
    const isRegistered =
      bot.meeting_platform === 'teams' &&
      (await teamsAppOf(tools.database, bot.team_id, credentialIdOf(bot))) !== undefined
    const words = (await tools.words?.()) ?? null
    const isAgentOff = bot.resumes > 0 && (await wasAgentSwitchedOff(tools.database, bot.id))
    const job = makeJob(tools, claim, { grant, storage, isRegistered, words, isAgentOff }, span)
    handle = await startInTurn(() => startIfLeased(tools, claim, job))
    if (handle === null) {
      tools.meters?.count('lease_losses', { work: 'launch', how: 'overtaken' })
      span?.end({ error: 'abandoned' })
      log.warn({ team: bot.team_id, bot: bot.id, attempt }, 'Launch abandoned: its lease is over')
      return
    }
  } catch (error) {
    span?.end({ error: kindOfFailure(error) })
    await storeFailure(tools, claim, error as Error)
    return
  }
  span?.end()
  onStarted?.()
  const now = new Date(bot.updated_at.getTime() + performance.now() - claim.claimedAt)
  const isWanted = await tools.writer.store({ botId: bot.id, attempt, handle, claimed: { bot, now } })
  log.info({ team: bot.team_id, bot: bot.id, attempt, name: handle.name }, 'Bot started')
  if (isWanted) return
  log.warn(
    { team: bot.team_id, bot: bot.id, attempt },
    'Started bot is stopped: it was cancelled, or its lease was lost',
  )
  await tools.launcher.stop(handle, 0)
}

const atOnce: InTurn = (work) => work()

/** Null: a process that was stopped for a while holds nothing any more; another launcher may have taken the bot. */
async function startIfLeased(
  { launcher, meters = NO_METERS }: LaunchTools,
  claim: Claim,
  job: Job,
): Promise<LaunchHandle | null> {
  const startedAt = performance.now()
  if (startedAt > claim.leaseEnds - LEASE_MARGIN_MS) return null
  const { bot } = claim
  // A later attempt is late for another reason.
  if (bot.attempt === 1) meters.time('start_lateness', latenessOf(claim), {})
  const answered = (outcome: 'started' | 'no_room' | 'failed') =>
    meters.time('launch', (performance.now() - startedAt) / 1000, { launcher: launcher.kind, outcome })
  try {
    const handle = await launcher.start({ botId: bot.id, attempt: bot.attempt, job })
    answered('started')
    return handle
  } catch (error) {
    answered(error instanceof NoRoom ? 'no_room' : 'failed')
    throw error
  }
}

/** Seconds, by the clock of the database. A bot that is started ahead of its time is not late. */
function latenessOf({ bot, claimedAt }: Claim): number {
  const now = bot.updated_at.getTime() + performance.now() - claimedAt
  return (now - (bot.join_at ?? bot.created_at).getTime()) / 1000
}

/** Whether a token has to be fetched for the bot before it can be started. */
export function namesCredential(bot: ClaimedBot): boolean {
  return grantRequestOf(bot) !== null
}

async function grantOf(grants: JoinGrants, bot: ClaimedBot): Promise<JoinGrant | null> {
  const request = grantRequestOf(bot)
  return request && grants.fetch(request)
}

function makeJob(
  { seals, linkUrl, waitForWelcomeSeconds, zoomApp, egressOf }: LaunchTools,
  { bot, token }: Claim,
  fetched: Pick<JobParts, 'grant' | 'storage' | 'isRegistered' | 'words' | 'isAgentOff'>,
  span: Span | null,
) {
  return jobOf({
    bot,
    secrets: openSecrets(seals, bot),
    ...fetched,
    link: { url: linkUrl, token },
    waitForWelcomeSeconds,
    zoomApp,
    egress: egressOf?.(bot.team_id, bot.meeting_platform as PlatformName),
    traceparent: span?.traceparent ?? null,
  })
}

async function storeFailure(tools: LaunchTools, claim: Claim, error: Error): Promise<void> {
  const { database, log } = tools
  const { attempt } = claim.bot
  const waits = error instanceof NoRoom
  const evidence = endWithout(error.message)
  const changeOf = (bot: BotRow, now: Date): BotChange => {
    // The lease ended meanwhile, and the bot was found at the launcher, which then removed what it had begun.
    if (bot.phase !== 'launching' || bot.lease_owner !== claim.owner)
      return processEnded(bot, { evidence, recordedSeconds: null, now })
    if (waits) return noRoom(bot, error.message, now)
    if (error instanceof GrantDelayed) return waitsForToken(bot, error, now)
    if (error instanceof ImpossibleJob || error instanceof GrantRefused)
      return impossible(bot, error.code, error.message, now)
    return launchFailed(bot, error.message, now)
  }
  await database.transaction().execute(async (tx) => {
    const bot = await lockBot(tx, claim.bot.id)
    // It has reported, so it may run: the reconciler ends it, at its deadline at the latest where nothing is left of it.
    if (bot?.joined_attempt === attempt && !isOver(bot)) return
    if (waits || error instanceof GrantDelayed) await removeLaunch(tx, claim.bot.id, attempt)
    await closeLaunch(tx, claim.bot.id, attempt, evidence)
    if (bot !== undefined && decides(bot, attempt)) await applyChange(tx, bot, changeOf(bot, await nowOf(tx)))
  })
  await traceEnd(tools, claim.bot.id)
  const fields = { team: claim.bot.team_id, bot: claim.bot.id, attempt, error: error.message }
  if (waits) log.info(fields, 'Bot waits: the launcher has no room')
  else if (error instanceof GrantDelayed) log.warn(fields, 'Bot waits: its token could not be fetched')
  else log.error(fields, 'Bot could not be started')
}

/** The message itself may hold what a caller wrote. */
function kindOfFailure(error: unknown): string {
  return error instanceof Error ? error.name : 'Error'
}
