/**
 * A generation of the API is one entry of the list that `buildApi` receives: a path prefix with its routes, the shape of
 * its errors, the names of its key header, and what it does with unknown fields. To add one, write a `Generation` and
 * append it to `GENERATIONS` in `server.ts`, which then
 *
 * - registers `routes` below `prefix` in a separate Fastify scope, so that hooks added there stay there (a renaming of
 *   public names, for example, is a `preValidation` and a `preSerialization` hook);
 * - checks the key, the permission and the rate limit of each of its routes before the body is read. A route with
 *   `config: { permission: 'sending' }` is open to keys that may only create bots, one with `config: { isOpen: true }`
 *   needs no key. `callerOf(request)` then returns the team for which the request acts;
 * - validates with the zod schemas of the routes; a misfit becomes an `ApiError` 400;
 * - sends every error thrown below the prefix through `errorBody`, errors of Fastify and unknown routes too. The
 *   longest prefix of the path decides, so `''` takes paths that no other generation claims. Where no route has the first
 *   part of a path, the first generation of the list answers.
 *
 * Handlers throw `refusals.…` of `errors.ts` in every generation, and never write an error body themselves.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { ZodType } from 'zod'
import type { Actor } from '../../store/audit-log.ts'
import type { Role } from '../../store/people/people.ts'
import type { Session } from '../../store/people/sessions.ts'
import type { KeyHolder } from '../../store/teams/keys.ts'
import type { ApiDependencies } from '../dependencies.ts'
import type { ApiError } from './errors.ts'

export type App = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, ZodTypeProvider>

/** The caller of a request: the holder of a key, or a person who is signed in to the dashboard. */
export interface Caller extends Omit<KeyHolder, 'keyId'> {
  keyId: string | null
  session: Session | null
}

export interface Generation {
  /** Such as `/v2`, `/compat/v2`, or `''` for paths without prefix. */
  prefix: string
  /** The vocabulary of what its requests create. */
  isCompat: boolean
  /** In lower case; the first that is sent counts. */
  keyHeaders: readonly string[]
  /** Whether people of the dashboard may call it with their session. Default: keys only. */
  acceptsSessions?: boolean
  /** `refuse`: 400 that names them. `drop`: ignored, as clients of a hosted service are used to. */
  unknownFields: 'refuse' | 'drop'
  /** The body of a refusal. The HTTP status may differ from the error's where the generation has another. */
  errorBody(error: ApiError, request: FastifyRequest | null): { status: number; body: unknown }
  routes(app: App, dependencies: ApiDependencies): void | Promise<void>
  /**
   * Where its OpenAPI document is served; absent: nowhere. Without a `keyHeader` the session cookie proves who calls; its
   * paths are relative to the prefix, and `/docs` does not list it.
   */
  document?: {
    path: string
    title: string
    keyHeader: string | null
    /** Markdown. */
    introduction?: string
    tags?: readonly { name: string; description: string }[]
    webhooks?: () => Record<string, unknown>
    /** Descriptions of schemas (`Bot`) and fields (`name`, or `Bot.name` for one of several meanings) that have none. */
    texts?: Readonly<Record<string, string>>
  }
}

interface ExampleValues {
  /** Of the mock meeting, if the service has one. */
  meetingLink: string
  /** A time of the next day. */
  tomorrow: string
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
    actor: Actor | null
    generation: Generation | null
    /** The answer to an error. */
    refusal: { code: string; body: unknown } | null
    /** SHA-256 of method, route and body; set if the request has an `Idempotency-Key`. */
    bodyHash: Buffer | null
  }
  interface FastifyContextConfig {
    /** `sending`: also for keys that may only create bots. Default `full`. */
    permission?: 'full' | 'sending'
    /** The role that a person needs. Default: `viewer` to read, `member` to change. */
    role?: Role
    /** Needs no key. */
    isOpen?: boolean
    /** Repeats with the same `Idempotency-Key` get the first answer (`idempotency.ts`). */
    isIdempotent?: boolean
    /**
     * Whether a success is a change of the team, with an entry in the audit log. Default: `never` to read, else
     * `always`. `sometimes`: each part of the request may be refused by itself, or change nothing.
     */
    changes?: 'always' | 'sometimes' | 'never'
    /** The body of a request that works, for the OpenAPI document. */
    example?: (given: ExampleValues) => unknown
    /** After a success, launchers are notified that something may be due. */
    createsBots?: boolean
    /** The route answers also while requests are turned away. */
    answersUnderLoad?: boolean
  }
}

/** The caller of the request. Only in routes that need a key. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error(`No key was checked for ${request.routeOptions.url}`)
  return request.caller
}

/** Makes a `preValidation` hook that answers for an unknown object before the body is validated: then `find` rejects. */
export function checkFirst<Params>(
  params: ZodType<Params>,
  find: (request: FastifyRequest, names: Params) => Promise<unknown>,
) {
  return async (request: FastifyRequest): Promise<void> => {
    const names = params.safeParse(request.params)
    if (names.success) await find(request, names.data)
  }
}

/** Who makes the changes of a request. */
export function actorOf({ caller, ip }: FastifyRequest): Actor {
  const who =
    caller === null
      ? ({ kind: 'system', id: null } as const)
      : caller.session === null
        ? ({ kind: 'key', id: caller.keyId } as const)
        : ({ kind: 'person', id: caller.session.personId } as const)
  return { ...who, address: ip, teamId: caller?.teamId ?? null, entries: 0 }
}

/** For records of who made a change. */
export function nameOfCaller({ keyId, session }: Caller): string {
  return keyId === null ? `person ${session?.personId}` : `key ${keyId}`
}

/** The generation with the longest prefix of the path. */
export function generationOf(generations: readonly Generation[], path: string): Generation | undefined {
  return generations
    .filter(({ prefix }) => prefix === '' || path === prefix || path.startsWith(`${prefix}/`))
    .reduce<Generation | undefined>(
      (best, next) => (best && best.prefix.length >= next.prefix.length ? best : next),
      undefined,
    )
}
