/** Scheduled bots whose time has come pass the checks of immediate ones, or fail. */

import { checkAdmissions, type Refusal } from '../../store/bots/admission-checks.ts'
import { lockBots } from '../../store/bots/bots.ts'
import { applyChanges } from '../../store/bots/changes.ts'
import { dueForAdmission } from '../../store/bots/claims.ts'
import { lockTeam } from '../../store/bots/creation.ts'
import type { Database } from '../../store/database.ts'
import type { BotRow } from '../../store/rows/index.ts'
import { admitted, becameDue, refusedWhenDue } from '../admit.ts'
import type { BotChange } from '../change.ts'

const BATCH = 200
const TEAMS_AT_ONCE = 4

/** Admits or refuses the bots that are due now, each team in one transaction. Returns how many bots were checked. */
export async function admitDue(db: Database, leadSeconds: number): Promise<number> {
  const due = await dueForAdmission(db, leadSeconds, BATCH)
  const teams = Map.groupBy(due, ({ team_id }) => team_id).entries()
  const admitNextTeams = async () => {
    for (const [teamId, bots] of teams) await admitOfTeam(db, teamId, bots)
  }
  await Promise.all(Array.from({ length: TEAMS_AT_ONCE }, admitNextTeams))
  return due.length
}

async function admitOfTeam(db: Database, teamId: string, due: readonly { id: string }[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    // Bots first: each change of a bot locks its row, and then the team's for tokens.
    const locked = await lockBots(
      tx,
      due.map(({ id }) => id),
    )
    const bots = locked.filter(({ phase }) => phase === 'scheduled')
    const { team, now } = await lockTeam(tx, teamId)
    // Their order decides who gets the last place.
    bots.sort((a, b) => (a.due_at?.getTime() ?? 0) - (b.due_at?.getTime() ?? 0))
    const refusals = await checkAdmissions(tx, team, bots)
    const changes = bots.map((bot, place) => ({ bot, change: changeWhenDue(bot, refusals[place] ?? null, now) }))
    await applyChanges(tx, changes)
  })
}

function changeWhenDue(bot: BotRow, refusal: Refusal | null, now: Date): BotChange {
  const change =
    refusal === null
      ? admitted(bot, now)
      : refusedWhenDue(bot, { code: refusal.code, message: reasonOfRefusal(refusal) }, now)
  // A bot that is started ahead of its time is due to a launcher at once.
  const patch = refusal === null ? { ...change.patch, due_at: now } : change.patch
  return { ...change, patch, steps: [becameDue(bot, now), ...change.steps] }
}

/** The sentence in the failure of the bot. */
function reasonOfRefusal(refusal: Refusal): string {
  switch (refusal.code) {
    case 'BYOK_TRANSCRIPTION_NOT_ENABLED_ON_PLAN':
      return 'Transcription with your own key is not part of the plan of this team.'
    case 'DAILY_BOT_CAP_REACHED':
      return `The daily limit of bots was reached: ${refusal.created} were sent within the last 24 hours.`
    case 'INSUFFICIENT_TOKENS':
      return `Insufficient tokens. Available: ${refusal.available}, Required: ${refusal.required}`
    case 'BOT_ALREADY_EXISTS':
      return refusal.why === 'recent'
        ? 'A bot of this team was sent to this meeting within the last five minutes.'
        : 'A bot with this deduplication key has not ended yet.'
  }
}
