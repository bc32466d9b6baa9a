/**
 * Both generations in the names of the hosted service, so that a client of it works after changing base address and key.
 * Names are translated at the edge: the routes below are those of the generations themselves.
 */

import type { ApiError } from '../http/errors.ts'
import type { App, Generation } from '../http/generation.ts'
import { olderErrorBody } from '../older/errors.ts'
import { OLDER_KEY_HEADERS, olderRoutes } from '../older/index.ts'
import { newerErrorBody } from '../v2/error-body.ts'
import { newerRoutes } from '../v2/index.ts'
import { type Generation as Names, publicPath, publicText, toNativeNames, toPublicNames } from './names.ts'
import { withKnownProviders, withPublicProviders } from './providers.ts'

export const compatNewerGeneration: Generation = {
  prefix: '/compat/v2',
  isCompat: true,
  keyHeaders: ['x-meeting-baas-api-key', 'x-service-api-key'],
  unknownFields: 'drop',
  errorBody: (error) => inPublicWords(newerErrorBody(error), error),
  routes: inPublicNames('v2', newerRoutes),
}

export const compatOlderGeneration: Generation = {
  prefix: '/compat',
  isCompat: true,
  keyHeaders: OLDER_KEY_HEADERS,
  unknownFields: 'drop',
  errorBody: (error) => inPublicWords(olderErrorBody(error), error),
  routes: inPublicNames('older', olderRoutes),
}

/** The routes with the names of requests and answers translated. */
export function inPublicNames(names: Names, routes: Generation['routes']): Generation['routes'] {
  return async (app, dependencies) => {
    app.addHook('preValidation', async (request) => {
      request.body = withKnownProviders(toNativeNames(request.body, names))
      request.query = toNativeNames(request.query, names)
    })
    app.addHook('preSerialization', async (_request, _reply, answer) =>
      toPublicNames(names === 'v2' ? withPublicProviders(answer) : withRecentBots(answer), names),
    )
    addPublicPaths(app)
    await routes(app, dependencies)
  }
}

/** Some clients of the older generation read the list under another key. */
function withRecentBots(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || !('bots' in answer)) return answer
  return { ...answer, recent_bots: answer.bots }
}

/** Routes with a different public path are reachable by both paths. */
function addPublicPaths(app: App): void {
  app.addHook('onRoute', (route) => {
    const url = publicPath(route.routePath)
    // A GET under the public name brings its own HEAD.
    if (url !== route.routePath && route.method !== 'HEAD') app.route({ ...route, url })
  })
}

/** Clients of the newer generation expect one code for a wrong key. */
const WRONG_KEY_CODE = 'FST_ERR_FORBIDDEN'

function inPublicWords({ status, body }: ReturnType<Generation['errorBody']>, { code }: ApiError) {
  const words = { ...(body as Record<string, unknown>) }
  // They have our own names.
  delete words.problems
  for (const field of ['message', 'error', 'details'])
    if (typeof words[field] === 'string') words[field] = publicText(words[field])
  if (code === 'FST_ERR_UNAUTHORIZED' && words.code === code) words.code = WRONG_KEY_CODE
  return { status, body: words }
}
