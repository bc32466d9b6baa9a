/** Usage of the team, and every entry of its ledger. */
import { z } from 'zod'
import { MICRO } from '../../bots/change.ts'
import { readTeam } from '../../store/teams/teams.ts'
import { readLedger, readUsage } from '../../store/teams/usage.ts'
import type { ApiDependencies } from '../dependencies.ts'
import { refusals } from '../http/errors.ts'
import { type App, callerOf } from '../http/generation.ts'
import { usageSchema as resourceSchema, shownUsage } from '../v2/bots/usage.ts'
import { limit, succeeded, success, time } from '../v2/common.ts'
import { rowNumber } from './fields.ts'

const usageSchema = z
  .object({
    plan: z.string(),
    balance: z.number().nullable().describe('Tokens; null: unlimited.'),
    reserved: z.number(),
    spent: z.number(),
    daily_cap: z.int().nullable(),
    days: z.array(
      z.object({
        day: z.string(),
        bots: z.int(),
        recorded_minutes: z.number(),
        charged: z.record(z.string(), z.number()),
        resources: resourceSchema.nullable().describe('Of the bots that were created then; null: none has reported.'),
      }),
    ),
  })
  .meta({ id: 'Usage' })
const entrySchema = z
  .object({
    id: z.int(),
    at: time,
    kind: z.string(),
    meter: z.string().nullable(),
    amount: z.number(),
    bot_id: z.string().nullable(),
  })
  .meta({ id: 'LedgerEntry' })

export function usageRoutes(app: App, { database, readList, settings }: ApiDependencies): void {
  app.get(
    '/usage',
    {
      schema: {
        querystring: z.strictObject({
          days: limit(366, 30),
          per: z.enum(['day', 'month']).default('day').describe('The period that an entry of `days` sums up.'),
        }),
        response: { 200: success(usageSchema) },
      },
    },
    async (request) => {
      const { teamId } = callerOf(request)
      const team = await readTeam(database, teamId)
      if (team === undefined) throw refusals.unknown('team')
      return succeeded({
        plan: team.plan,
        balance: team.balance === null ? null : team.balance / MICRO,
        reserved: team.reserved / MICRO,
        spent: team.spent / MICRO,
        daily_cap: team.daily_cap,
        days: (await readList(teamId, readUsage, teamId, request.query)).map(({ resources, ...day }) => ({
          ...day,
          resources: resources && shownUsage(resources, settings.prices),
        })),
      })
    },
  )

  app.get(
    '/ledger',
    {
      schema: {
        querystring: z.strictObject({
          before: rowNumber.optional(),
          limit: limit(100, 50),
        }),
        response: { 200: success(z.array(entrySchema)) },
      },
    },
    async (request) => {
      const { before = null, limit: count } = request.query
      const entries = await readList(callerOf(request).teamId, readLedger, callerOf(request).teamId, before, count)
      return succeeded(entries.map((entry) => ({ ...entry, at: entry.at.toISOString() })))
    },
  )
}
