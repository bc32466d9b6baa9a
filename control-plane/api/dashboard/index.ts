/** Routes that the dashboard needs beside the public API, for people who are signed in. */
import type { Generation } from '../http/generation.ts'
import { errorSchema } from '../v2/common.ts'
import { newerErrorBody } from '../v2/error-body.ts'
import { connectRoutes } from './connect-routes.ts'
import { deliveryRoutes } from './delivery-routes.ts'
import { endpointRoutes } from './endpoint-routes.ts'
import { feedRoutes } from './feed.ts'
import { keyRoutes } from './key-routes.ts'
import { liveRoutes } from './live-routes.ts'
import { partRoutes } from './part-routes.ts'
import { peopleRoutes } from './people-routes.ts'
import { requestRoutes } from './request-routes.ts'
import { signInRoutes } from './sign-in-routes.ts'
import { systemRoutes } from './system-routes.ts'
import { DASHBOARD_TEXTS } from './texts.ts'
import { usageRoutes } from './usage-routes.ts'

export const dashboardGeneration: Generation = {
  prefix: '/dashboard/api',
  isCompat: false,
  keyHeaders: [],
  acceptsSessions: true,
  unknownFields: 'refuse',
  errorBody: newerErrorBody,
  document: { path: '/openapi-dashboard.json', title: 'Standin dashboard', keyHeader: null, texts: DASHBOARD_TEXTS },
  routes(app, dependencies) {
    app.addHook('onRoute', (route) => {
      route.schema = { ...route.schema, response: { default: errorSchema, ...(route.schema?.response as object) } }
    })
    signInRoutes(app, dependencies)
    connectRoutes(app, dependencies)
    feedRoutes(app, dependencies)
    liveRoutes(app, dependencies)
    partRoutes(app, dependencies)
    peopleRoutes(app, dependencies)
    keyRoutes(app, dependencies)
    endpointRoutes(app, dependencies)
    deliveryRoutes(app, dependencies)
    usageRoutes(app, dependencies)
    requestRoutes(app, dependencies)
    systemRoutes(app, dependencies)
  },
}
