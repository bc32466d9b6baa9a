/** The older generation: paths without a prefix. Successful answers are bare objects. */
import type { Generation } from '../http/generation.ts'
import { accountRoutes } from './accounts/routes.ts'
import { controlRoutes } from './bots/control-routes.ts'
import { createRoute } from './bots/create-route.ts'
import { readRoutes } from './bots/read-routes.ts'
import { retranscribeRoute } from './bots/retranscribe-route.ts'
import { calendarEventRoutes } from './calendar-events/routes.ts'
import { calendarRoutes } from './calendars/routes.ts'
import { confConnectionRoutes } from './conf-connections/routes.ts'
import { olderErrorBody } from './errors.ts'
import { OLDER_TEXTS } from './texts.ts'

export const OLDER_KEY_HEADERS = ['x-service-api-key', 'x-meeting-baas-api-key', 'x-spoke-api-key']

export const olderGeneration: Generation = {
  prefix: '',
  isCompat: false,
  keyHeaders: OLDER_KEY_HEADERS,
  unknownFields: 'refuse',
  errorBody: olderErrorBody,
  routes: olderRoutes,
  document: {
    path: '/openapi-older.json',
    title: 'Standin API, older generation',
    keyHeader: 'x-service-api-key',
    texts: OLDER_TEXTS,
  },
}

/** `/compat` has the same routes, in the public names. */
export async function olderRoutes(...[app, dependencies]: Parameters<Generation['routes']>): Promise<void> {
  createRoute(app, dependencies)
  readRoutes(app, dependencies)
  controlRoutes(app, dependencies)
  retranscribeRoute(app, dependencies)
  accountRoutes(app, dependencies)
  confConnectionRoutes(app, dependencies)
  calendarRoutes(app, dependencies)
  calendarEventRoutes(app, dependencies)
}
