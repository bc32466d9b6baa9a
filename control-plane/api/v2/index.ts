/** The newer generation, `/v2`. */
import type { Generation } from '../http/generation.ts'
import { accountRoutes } from './accounts/routes.ts'
import { auditLogRoutes } from './audit-log/routes.ts'
import { batchRoutes } from './batches/routes.ts'
import { botControlRoutes } from './bot-control/routes.ts'
import { botDataRoutes } from './bot-data/routes.ts'
import { botEventRoutes } from './bot-events/routes.ts'
import { botRoutes } from './bots/routes.ts'
import { calendarBotRoutes } from './calendar-bots/routes.ts'
import { calendarEventRoutes } from './calendar-events/routes.ts'
import { calendarRoutes } from './calendars/routes.ts'
import { confCredentialRoutes } from './conf-credentials/routes.ts'
import { INTRODUCTION, TAGS } from './document.ts'
import { newerErrorBody } from './error-body.ts'
import { scheduledRoutes } from './scheduled/routes.ts'
import { sentWebhookRoutes } from './sent-webhooks.ts'
import { timelineRoutes } from './timeline/routes.ts'
import { webhookOperations } from './webhooks.ts'

export const newerGeneration: Generation = {
  prefix: '/v2',
  isCompat: false,
  keyHeaders: ['x-service-api-key', 'x-meeting-baas-api-key'],
  acceptsSessions: true,
  unknownFields: 'refuse',
  errorBody: newerErrorBody,
  routes: newerRoutes,
  document: {
    path: '/openapi.json',
    title: 'Standin API',
    keyHeader: 'x-service-api-key',
    introduction: INTRODUCTION,
    tags: TAGS,
    webhooks: webhookOperations,
  },
}

/** `/compat/v2` has the same routes, in the public names. */
export async function newerRoutes(...[app, dependencies]: Parameters<Generation['routes']>): Promise<void> {
  botRoutes(app, dependencies)
  botControlRoutes(app, dependencies)
  botDataRoutes(app, dependencies)
  botEventRoutes(app, dependencies)
  batchRoutes(app, dependencies)
  scheduledRoutes(app, dependencies)
  timelineRoutes(app, dependencies)
  confCredentialRoutes(app, dependencies)
  accountRoutes(app, dependencies)
  calendarRoutes(app, dependencies)
  calendarEventRoutes(app, dependencies)
  calendarBotRoutes(app, dependencies)
  auditLogRoutes(app, dependencies)
  sentWebhookRoutes(app, dependencies)
}
