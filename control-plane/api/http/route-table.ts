/** The methods of each path, so that a wrong method can be distinguished from a wrong path. */
import type { App } from './generation.ts'

declare module 'fastify' {
  interface FastifyInstance {
    routeTable: RouteTable
  }
}

export interface RouteTable {
  /** Of every generation, such as `/v2/bots/:bot_id`. */
  readonly routes: readonly { url: string; methods: string[] }[]
  /** Methods of every route that fits the path, in order; empty if there is none. */
  methodsAt(path: string): string[]
  /** Whether any route has the first part of the path. */
  hasBeginning(path: string): boolean
}

export function createRouteTable(app: App): RouteTable {
  const beginnings = new Set<string | undefined>()
  const routes: { url: string; pattern: RegExp; methods: string[] }[] = []
  app.addHook('onRoute', ({ url, method }) => {
    beginnings.add(url.split('/')[1])
    routes.push({ url, pattern: patternOf(url), methods: [method].flat() })
  })
  return {
    hasBeginning: (path) => beginnings.has(path.split('/')[1]),
    routes,
    methodsAt(path) {
      const fitting = routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods)
      return [...new Set(fitting)].sort()
    },
  }
}

/** Of a route such as `/v2/bots/:bot_id/leave`. */
function patternOf(url: string): RegExp {
  const parts = url.replace(/\/$/, '').split('/')
  const pattern = parts.map((part) => {
    if (part === '*') return '.*'
    if (part.startsWith(':')) return '[^/]+'
    return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${pattern.join('/')}/?$`)
}
