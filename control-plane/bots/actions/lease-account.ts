/** Gives a bot an account of its team with the session, and takes the bot's reports about it. */

import type { StorageState } from '@standin/wire/account-session.ts'
import { sessionOf } from '@standin/wire/account-session.ts'
import type { AccountReport, LeasedAccount, LinkRequest } from '@standin/wire/control-link.ts'
import type { AccountPlatform } from '@standin/wire/platforms.ts'
import type { Log, Seals } from '../../platform/ports.ts'
import { sessionPlace } from '../../store/accounts/accounts.ts'
import { chooseAccount, reportAccount, whyNone } from '../../store/accounts/leases.ts'
import { readBot } from '../../store/bots/bots.ts'
import { applyChanges } from '../../store/bots/changes.ts'
import type { Database } from '../../store/database.ts'
import { emptyChange } from '../change.ts'
import { requestOf } from '../request.ts'
import { isOver, namedAttempt } from '../row.ts'
import { withBot } from './change-bot.ts'

interface Tools {
  database: Database
  seals: Seals
  log: Log
}
interface Asking {
  botId: string
  attempt: number
}

/** The account is the bot's until the bot is out of its meeting, also for the attempts that follow. */
export async function leaseAccount(
  { database, seals }: Tools,
  { botId, attempt }: Asking,
): Promise<Omit<LeasedAccount, 'type' | 'id'>> {
  const leased = await withBot(
    database,
    botId,
    () => true,
    async (tx, bot, now) => {
      const { account = 'never', account_pool: pool = null } = requestOf(bot)
      if (isOver(bot) || namedAttempt(bot) !== attempt) return { message: 'The bot is not wanted any more.' }
      if (account === 'never') return { message: 'The bot was sent without an account.' }
      const step = { at: now, attempt, kind: 'account' as const }
      const chosen = await chooseAccount(tx, bot, pool)
      if (chosen === undefined) {
        const message = await whyNone(tx, bot, pool)
        await applyChanges(tx, [{ bot, change: { ...emptyChange(), steps: [{ ...step, reason: message }] } }])
        return { message }
      }
      const { id, label, place, session, session_version: version } = chosen
      const reason = `The bot joins with the account "${label}".`
      if (bot.account_id !== id || bot.account_place !== place) {
        const patch = { account_id: id, account_place: place }
        const steps = [{ ...step, reason, evidence: { account_id: id, label } }]
        await applyChanges(tx, [{ bot, change: { ...emptyChange(), patch, steps } }])
      }
      const state: StorageState = JSON.parse(seals.open(session, sessionPlace(id)))
      return { account: { account_id: id, label, version, session: state } }
    },
  )
  return leased === 'not_found' ? { message: 'The bot is not wanted any more.' } : leased
}

export async function takeAccountReport(
  { database, seals, log }: Tools,
  { botId }: Asking,
  report: Extract<LinkRequest, { type: 'account_report_request' }>,
): Promise<Omit<AccountReport, 'type' | 'id'>> {
  const { account_id: accountId, version, state, reason = null } = report
  const bot = await readBot(database, botId)
  if (bot === undefined) return { message: 'The bot is not known.' }
  const checked = report.session && sessionOf(bot.meeting_platform as AccountPlatform, report.session)
  const session = checked && 'session' in checked ? checked.session : null
  const stored = await reportAccount(database, seals, botId, { accountId, version, state, reason, session })
  if (stored === undefined) return { message: 'Another session was stored meanwhile.' }
  if (state === 'signed_out')
    log.warn({ team: bot.team_id, bot: botId, account: accountId }, 'An account is signed out')
  return { version: stored }
}
