/** Accounts of a mock platform: a sign-in gives a session cookie, and each page of a meeting a fresh one. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export interface AccountCookie {
  name: string
  /** With a dot in front: also of the hosts below. */
  domain: string
}

/** The account of one visit. */
export interface VisitAccount {
  /** As people in the meeting see it. */
  name: string
  /** Sets the fresh session; a header. */
  setCookie: string
  signOut(): void
}

const NAME = 'Standin Notes'

export class Accounts {
  readonly #cookie: AccountCookie
  /** Sessions that were ended; the mock takes every other value for one. */
  readonly #ended = new Set<string>()
  /** Of a session, the value from which it was refreshed first. */
  readonly #roots = new Map<string, string>()

  constructor(cookie: AccountCookie) {
    this.#cookie = cookie
  }

  /** The storage state of a browser in which a person signed in. */
  signIn(): { cookies: { name: string; value: string; domain: string; path: string; secure: boolean }[] } {
    return { cookies: [{ ...this.#cookie, value: `session-${randomUUID()}`, path: '/', secure: true }] }
  }

  /** Sets a session by a header, as the sign-in page does. */
  signInHeader(): string {
    return this.#header(`session-${randomUUID()}`)
  }

  /** Null for a guest, and for a session that was ended. */
  of({ headers }: IncomingMessage): VisitAccount | null {
    const cookies = (headers.cookie ?? '').split(';').map((cookie) => cookie.trim())
    const value = cookies.find((cookie) => cookie.startsWith(`${this.#cookie.name}=`))?.split('=')[1]
    if (value === undefined) return null
    const root = this.#roots.get(value) ?? value
    if (this.#ended.has(root)) return null
    const fresh = `session-${randomUUID()}`
    this.#roots.set(fresh, root)
    return { name: NAME, setCookie: this.#header(fresh), signOut: () => this.#ended.add(root) }
  }

  #header(value: string): string {
    return `${this.#cookie.name}=${value}; Domain=${this.#cookie.domain}; Path=/; Max-Age=2592000; Secure; HttpOnly; SameSite=Lax`
  }
}
