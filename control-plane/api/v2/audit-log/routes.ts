/** The audit log of the team. */
import { z } from 'zod'
import { ACTOR_KINDS, AUDIT_ACTIONS, listAuditLog } from '../../../store/audit-log.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { type App, callerOf } from '../../http/generation.ts'
import { commaList, cursor, documented, limit, list, requestTime, time, uuid } from '../common.ts'
import { cursorsOf, pageRequest } from '../cursor.ts'

const query = z.strictObject({
  actor: commaList(ACTOR_KINDS).optional(),
  actor_id: uuid.optional().describe('Of a person or of an API key.'),
  action: commaList(AUDIT_ACTIONS).optional(),
  target: uuid.optional().describe('The id of what was changed.'),
  after: requestTime.optional().describe('Inclusive.'),
  before: requestTime.optional().describe('Exclusive.'),
  limit: limit(250, 50),
  cursor,
})

const auditEntrySchema = z
  .object({
    entry_id: z.uuid().describe('The id of the entry.'),
    at: time.describe('When the change was made.'),
    actor: z
      .object({
        kind: z
          .enum(ACTOR_KINDS)
          .describe('`operator`: the command line of the service. `system`: the service itself.'),
        id: z.uuid().nullable().describe('Of the person or the key.'),
        name: z.string().nullable().describe('The current name of the person or the key.'),
      })
      .describe('Who made the change.'),
    address: z.string().nullable().describe('Network address of the caller.'),
    action: z.enum(AUDIT_ACTIONS).describe('What was done.'),
    target: z.string().nullable().describe('The id of what was changed.'),
    details: z.record(z.string(), z.unknown()).nullable().describe('Values that belong to it, never secrets.'),
  })
  .meta({ id: 'AuditEntry', description: 'A change of the team.' })

export function auditLogRoutes(app: App, { readList }: ApiDependencies): void {
  const route = documented(app, 'Audit log')
  route.get('/audit-log', {
    config: { role: 'owner' },
    summary: 'List changes of the team, newest first',
    description: 'Who changed what, when and from where. People need the role `owner`. Entries hold no secrets.',
    querystring: query,
    answer: list(auditEntrySchema),
    async handle(request) {
      const { teamId } = callerOf(request)
      const { actor, actor_id: actorId, action, target, after, before, limit: most } = request.query
      const filter = { actorKinds: actor, actorId, actions: action, target, after, before }
      const page = await readList(teamId, listAuditLog, teamId, filter, pageRequest(request.query.cursor, most))
      return { success: true as const, data: page.rows.map(shownEntry), ...cursorsOf(page) }
    },
  })
}

/** The form of the API, which the command line prints too. */
export function shownEntry(row: Awaited<ReturnType<typeof listAuditLog>>['rows'][number]) {
  return {
    entry_id: row.id,
    at: row.at.toISOString(),
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    address: row.address,
    action: row.action,
    target: row.target,
    details: row.details,
  }
}
