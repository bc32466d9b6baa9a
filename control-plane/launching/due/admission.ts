/** Scheduled bots whose time has come pass the checks of immediate ones, or fail. */
import { admitted, becameDue, refusedWhenDue } from '../../bots/admit.ts'
import type { BotChange } from '../../bots/change.ts'
import type { BotRow } from '../../rows/index.ts'
import { lockTeam } from '../../store/bots/admission.ts'
import { checkAdmissions } from '../../store/bots/admission-checks.ts'
import { lockBots } from '../../store/bots/bots.ts'
import { applyChanges } from '../../store/bots/changes.ts'
import { dueForAdmission } from '../../store/bots/claims.ts'
import type { Database } from '../../store/database.ts'
import { each } from '../each.ts'
import { reasonOfRefusal } from './refusals.ts'

const BATCH = 200
const TEAMS_AT_ONCE = 4

/** Admits or refuses the bots that are due now, each team in one transaction. Returns how many bots were checked. */
export async function admitDue(db: Database, leadSeconds: number): Promise<number> {
  const due = await dueForAdmission(db, leadSeconds, BATCH)
  const teams = Map.groupBy(due, ({ team_id }) => team_id)
  await each([...teams], TEAMS_AT_ONCE, ([teamId, bots]) =>
    admitOfTeam(
      db,
      teamId,
      bots.map(({ id }) => id),
    ),
  )
  return due.length
}

async function admitOfTeam(db: Database, teamId: string, botIds: readonly string[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    // Bots first: each change of a bot locks its row, and then the team's for tokens.
    const bots = (await lockBots(tx, botIds)).filter(({ phase }) => phase === 'scheduled')
    const { team, now } = await lockTeam(tx, teamId)
    // Their order decides who gets the last place.
    bots.sort((a, b) => (a.due_at?.getTime() ?? 0) - (b.due_at?.getTime() ?? 0))
    const refusals = await checkAdmissions(tx, team, bots)
    const changes = bots.map((bot, place) => {
      const refusal = refusals[place]
      if (!refusal) return { bot, change: admittedAt(bot, now) }
      const refused = refusedWhenDue(bot, { code: refusal.code, message: reasonOfRefusal(refusal) }, now)
      return { bot, change: afterDue(bot, refused, now) }
    })
    await applyChanges(tx, changes)
  })
}

/** A bot that is started ahead of its time is due to a launcher at once. */
function admittedAt(bot: BotRow, now: Date): BotChange {
  const change = afterDue(bot, admitted(bot, now), now)
  return { ...change, patch: { ...change.patch, due_at: now } }
}

function afterDue(bot: BotRow, change: BotChange, now: Date): BotChange {
  return { ...change, steps: [becameDue(bot, now), ...change.steps] }
}
