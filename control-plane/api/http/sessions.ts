/** Requests of people who are signed in to the dashboard: a cookie instead of a key. */
import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../../store/database.ts'
import type { Role } from '../../store/people/people.ts'
import {
  type Choice,
  createChoices,
  findSession,
  openSession,
  SESSION_DAYS,
  type Session,
} from '../../store/people/sessions.ts'
import { refusals } from './errors.ts'

export const SESSION_COOKIE = 'standin_session'
/** Pages of other sites cannot add this header: the browser asks the service first, and the service does not permit it. */
const PROOF_HEADER = 'x-requested-by'
const PROOF = 'dashboard'
const READING = new Set(['GET', 'HEAD'])
const RANKS: Record<Role, number> = { viewer: 0, member: 1, owner: 2 }

/** Null: the request has no session cookie. Rejects if the cookie is not valid, or lacks the permission. */
export async function sessionOf(db: Database, request: FastifyRequest, secure: boolean): Promise<Session | null> {
  const token = cookieOf(request, SESSION_COOKIE, secure)
  if (token === undefined || token === '') return null
  if (!READING.has(request.method) && request.headers[PROOF_HEADER] !== PROOF) throw refusals.foreignPage()
  const session = await findSession(db, token).catch(() => {
    throw refusals.unavailable('The session could not be checked right now')
  })
  if (session === null) throw refusals.signInNeeded()
  return session
}

/** Whether the request says that a person sends it; the cookie may not be valid. */
export const hasSessionCookie = (request: FastifyRequest, secure: boolean): boolean =>
  Boolean(cookieOf(request, SESSION_COOKIE, secure))

export function mayAct(session: Session, role: Role): boolean {
  return RANKS[session.role] >= RANKS[role]
}

/** The role that a request needs where its route names none. */
export function neededRole(method: string): Role {
  return READING.has(method) ? 'viewer' : 'member'
}

/** Signs in the person. Of several, each in another team, the caller has to choose one before. */
export async function signIn(
  db: Database,
  reply: FastifyReply,
  personIds: readonly string[],
  secure: boolean,
): Promise<Choice[]> {
  if (personIds.length > 1) return createChoices(db, personIds)
  setSessionCookie(reply, await openSession(db, personIds[0]!), secure)
  return []
}

/** `secure`: the service is reached by https. */
export function setSessionCookie(reply: FastifyReply, token: string | null, secure: boolean): void {
  setCookie(reply, SESSION_COOKIE, { value: token, maxAge: SESSION_DAYS * 86_400, secure })
}

/** A cookie with this prefix cannot be set by a neighbouring host for this one; browsers accept it over https only. */
const cookieName = (name: string, secure: boolean) => (secure ? `__Host-${name}` : name)

export function cookieOf(request: FastifyRequest, name: string, secure: boolean): string | undefined {
  return parseCookie(request.headers.cookie ?? '')[cookieName(name, secure)]
}

/** A cookie that scripts cannot read. Null removes it. */
export function setCookie(
  reply: FastifyReply,
  name: string,
  { value, maxAge, secure }: { value: string | null; maxAge: number; secure: boolean },
): void {
  const attributes = {
    httpOnly: true,
    sameSite: 'lax',
    secure,
    path: '/',
    maxAge: value === null ? 0 : maxAge,
  } as const
  reply.header('set-cookie', stringifySetCookie({ name: cookieName(name, secure), value: value ?? '', ...attributes }))
}
