/** How the whole installation does, for its owners. */
import { z } from 'zod'
import { readSystem } from '../../store/dashboard.ts'
import type { ApiDependencies } from '../dependencies.ts'
import type { App } from '../generation.ts'
import { success } from '../v2/common.ts'

const systemSchema = z.object({
  version: z.string(),
  node: z.string(),
  postgres: z.string(),
  start_seconds: z.object({ median: z.number().nullable(), p95: z.number().nullable(), count: z.int() }),
  queued: z.array(z.object({ reason: z.string().nullable(), count: z.int() })),
  running: z.int(),
  waiting_deliveries: z.int(),
  oldest_delivery_seconds: z.number(),
  latest_bot_seconds: z.number(),
})

export function systemRoutes(app: App, { database, settings }: ApiDependencies): void {
  app.get('/system', { config: { role: 'owner' }, schema: { response: { 200: success(systemSchema) } } }, async () => ({
    success: true as const,
    data: { version: settings.version ?? 'unknown', node: process.version, ...(await readSystem(database)) },
  }))
}
