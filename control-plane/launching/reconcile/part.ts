/** Recovers the recording of an attempt that crashed in its meeting, while its bot continues there. */

import { changeBot } from '../../bots/actions/change-bot.ts'
import { partsOf } from '../../bots/parts.ts'
import { whileHeld } from '../../platform/lease.ts'
import {
  endRecovery,
  isAttempt,
  isRecoveryWanted,
  launchCleaned,
  type OpenLaunch,
  recoveryLease,
} from '../../store/launches/launches.ts'
import { type FinishTools, LEASE_SECONDS, RETRY_SECONDS, TRY_FOR_SECONDS } from './finish.ts'
import { ingestJournal } from './journal.ts'
import { recoverAttempt } from './recovery.ts'

/**
 * Recovers the recording of the attempt, stores its length with the bot, and removes the rest of the attempt.
 * Repeatable, and done by one reconciler at a time. Files that cannot be recovered stay in place. A launch without a
 * handle is one that its launcher does not know any more: the part of it in the store is recovered.
 */
export async function recoverPart(tools: FinishTools, launch: OpenLaunch, signal: AbortSignal): Promise<void> {
  const { database, files, launcher, log, owner, finishLeaseSeconds: seconds = LEASE_SECONDS } = tools
  const { bot_id: botId, team_id: team, attempt } = launch
  const fields = { team, bot: botId, attempt }
  const row = isAttempt(botId, attempt)
  const claim = { owner, leaseSeconds: seconds }
  if (!(await recoveryLease.acquire(database, row, claim, isRecoveryWanted))) return
  const keep = () => recoveryLease.renew(database, row, claim)
  await whileHeld({ seconds, keep, log, fields, signal }, async (whileLeased) => {
    try {
      const result = await tools.recoverInTurn(async () => {
        whileLeased.throwIfAborted()
        const workFolder = launch.handle && ((await launcher.workFolder?.(launch.handle)) ?? null)
        const dead = { botId, attempt, workFolder }
        // Kept as history: the bot continued even if this could not be read at first.
        await ingestJournal(database, files, dead, { isOver: true })
        return recoverAttempt(tools, dead, whileLeased)
      })
      if (result.problems.length > 0) throw new Error(result.problems.join('; '))
      log.info({ ...fields, ...result }, 'Part of a recording recovered')
      if (result.seconds !== null) await noteSeconds(tools, launch, result.seconds)
      if (!(await endRecovery(database, botId, attempt, owner))) return
      if (launch.handle !== null) await launcher.clean(launch.handle)
      await launchCleaned(database, botId, attempt)
    } catch (error) {
      if (whileLeased.aborted) return await recoveryLease.release(database, row, owner)
      log.error({ ...fields, error: String(error) }, 'Part of a recording could not be recovered')
      const isLastTry = (launch.end_seen_for ?? 0) > TRY_FOR_SECONDS
      if (!isLastTry) await recoveryLease.release(database, row, owner, RETRY_SECONDS)
      else if (await endRecovery(database, botId, attempt, owner)) await launchCleaned(database, botId, attempt, true)
    }
  })
}

/** The files know better than the last progress report did. */
async function noteSeconds({ database }: FinishTools, launch: OpenLaunch, seconds: number): Promise<void> {
  await changeBot(database, launch.bot_id, (bot) => {
    const parts = partsOf(bot)
    const place = parts.findIndex(({ attempt }) => attempt === launch.attempt)
    if (place === -1 || parts[place]!.seconds === seconds) return null
    const patch = { parts: parts.with(place, { ...parts[place]!, seconds }) }
    return { patch, steps: [], messages: [], ledger: [] }
  })
}
