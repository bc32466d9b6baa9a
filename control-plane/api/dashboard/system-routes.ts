/** Figures and state of the whole installation, for its operator. */
import { z } from 'zod'
import { readCapacities } from '../../store/capacity.ts'
import { readSystem } from '../../store/dashboard.ts'
import { migrationState } from '../../store/migrate.ts'
import type { ApiDependencies } from '../dependencies.ts'
import { refusals } from '../http/errors.ts'
import { type App, callerOf } from '../http/generation.ts'
import { succeeded, success } from '../v2/common.ts'

const systemSchema = z
  .object({
    version: z.string(),
    node: z.string(),
    postgres: z.string(),
    start_seconds: z.object({ median: z.number().nullable(), p95: z.number().nullable(), count: z.int() }),
    queued: z.array(z.object({ reason: z.string().nullable(), count: z.int() })),
    running: z.int(),
    waiting_deliveries: z.int(),
    oldest_delivery_seconds: z.number(),
    latest_bot_seconds: z.number(),
    waiting_commands: z.int(),
    oldest_command_seconds: z.number(),
    failing_endpoints: z.int(),
    waiting_deletions: z.int(),
    migrations: z.object({ newest: z.string().nullable(), known: z.int(), missing: z.array(z.string()) }),
    launchers: z.array(
      z.object({
        launcher: z.string(),
        version: z.string(),
        image: z.string().nullable(),
        free: z.int().optional(),
        limit: z.int().optional(),
        reason: z.string().optional(),
      }),
    ),
  })
  .meta({ id: 'System' })

export function systemRoutes(app: App, { acrossTeams, settings }: ApiDependencies): void {
  app.get('/system', { schema: { response: { 200: success(systemSchema) } } }, async (request) => {
    if (callerOf(request).session?.isOperator !== true) throw refusals.operatorOnly()
    const [figures, launchers, migrations] = await Promise.all([
      readSystem(acrossTeams),
      readCapacities(acrossTeams),
      migrationState(acrossTeams),
    ])
    const version = settings.version ?? 'unknown'
    return succeeded({ version, node: process.version, ...figures, launchers, migrations })
  })
}
