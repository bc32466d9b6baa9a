/** The newer generation, `/v2`. */
import type { Generation } from '../generation.ts'
import { botRoutes } from './bots/routes.ts'
import { newerErrorBody } from './error-body.ts'

export const newerGeneration: Generation = {
  prefix: '/v2',
  isCompat: false,
  keyHeaders: ['x-service-api-key', 'x-meeting-baas-api-key'],
  unknownFields: 'refuse',
  errorBody: newerErrorBody,
  routes: newerRoutes,
}

/** `/compat/v2` has the same routes, in the public names. */
export async function newerRoutes(...[app, dependencies]: Parameters<Generation['routes']>): Promise<void> {
  await botRoutes(app, dependencies)
}
