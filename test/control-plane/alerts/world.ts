/** A team whose bots, calendars, webhooks and balance can go wrong, with alert rules over it. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { evaluateAlerts } from '../../../control-plane/alerts/evaluate.ts'
import { readFirings } from '../../../control-plane/store/alerts/firings.ts'
import {
  type AlertType,
  type Channels,
  createRule,
  type RuleFields,
} from '../../../control-plane/store/alerts/rules.ts'
import { openWorld, quiet, seals } from '../webhooks/world.ts'

export const CALLBACK = 'https://receiver.test/alerts'

export async function openAlertWorld() {
  const world = await openWorld()
  const { database } = world
  return {
    ...world,
    async rule(teamId: string, type: AlertType, fields: Partial<RuleFields & Channels> = {}): Promise<string> {
      const id = await createRule(database, seals, {
        teamId,
        type,
        name: 'A rule',
        operator: '>=',
        threshold: 1,
        cooldownMinutes: 15,
        isEnabled: true,
        callbackUrl: CALLBACK,
        callbackSecret: null,
        emails: [],
        ...fields,
      })
      if (id === null) throw new Error('The team has too many rules')
      return id
    },
    /** A bot that failed with this code; its last events are stored now. */
    async failedBot(teamId: string, code: string, { hasJoined = false, status = 'failed' } = {}): Promise<string> {
      const id = await world.bot(teamId, {
        status,
        error_code: code,
        ended_at: new Date(Date.now() - 3 * 3_600_000),
        joined_at: hasJoined ? new Date() : null,
      })
      await database
        .insertInto('bot_steps')
        .values({ bot_id: id, at: new Date(0), kind: 'ended' })
        .execute()
      return id
    },
    /** A webhook whose last attempt failed. */
    async exhaustedWebhook(teamId: string): Promise<void> {
      const { id } = await world.endpoint({ teamId, kind: 'team', url: 'https://receiver.test/webhooks' })
      await world.send(teamId, await world.bot(teamId), 1)
      await sql`update deliveries set state = 'failed', finished_at = now() where endpoint_id = ${id}`.execute(database)
      await sql`update endpoints set disabled_at = now() where id = ${id}`.execute(database)
    },
    async calendar(teamId: string, values: { failed?: boolean } = {}): Promise<string> {
      const { rows } = await sql<{ id: string }>`
        insert into calendars (team_id, generation, platform, raw_calendar_id, name, account_email, is_primary, credentials,
          sync_failed_at)
        values (${teamId}, 'v2', 'google', ${randomUUID()}, 'C', 'ada@example.com', true, 'x',
          ${values.failed ? sql`now()` : null}) returning id`.execute(database)
      return rows[0]!.id
    },
    evaluate: async () => (await evaluateAlerts(database, quiet)).fired,
    firings: (teamId: string) => readFirings(database, teamId, { limit: 100 }),
    /** As if everything had happened so many minutes earlier. */
    async passMinutes(minutes: number): Promise<void> {
      const back = sql`make_interval(mins => ${minutes})`
      await sql`update alert_rules set last_fired_at = last_fired_at - ${back}, counts_from = counts_from - ${back},
        last_test_at = last_test_at - ${back}`.execute(database)
      await sql`update bot_steps set stored_at = stored_at - ${back}`.execute(database)
      await sql`update deliveries set finished_at = finished_at - ${back}`.execute(database)
      await sql`update calendars set sync_failed_at = sync_failed_at - ${back}`.execute(database)
      await sql`update connections set last_error_at = last_error_at - ${back}`.execute(database)
      await sql`update bots set queued_at = queued_at - ${back}`.execute(database)
    },
  }
}
export type AlertWorld = Awaited<ReturnType<typeof openAlertWorld>>
