/** A browser in front of the API. It keeps cookies, and has its own address, so that tries are counted apart. */
import type { App } from '@standin/control-plane/api/http/generation.ts'
import type { InjectOptions, Response } from 'light-my-request'

export interface Answer {
  status: number
  /** The status with the code of an error, such as `404 FST_ERR_NOT_FOUND`. */
  outcome: string
  headers: Record<string, unknown>
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape.
  body: any
}

export function answerOf({ statusCode: status, headers, payload: text }: Response): Answer {
  const body = /^application\/json/.test(String(headers['content-type'])) ? JSON.parse(text || 'null') : null
  return { status, outcome: [status, body?.code].join(' ').trim(), headers, text, body }
}

let addresses = 0

export function openVisitor(app: App) {
  const cookies = new Map<string, string>()
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const number = ++addresses
  const remoteAddress = `198.18.${number >> 8}.${number & 255}`
  async function send(method: InjectOptions['method'], url: string, body?: unknown, given: object = {}) {
    const headers = {
      ...(method !== 'GET' && { 'x-requested-by': 'dashboard' }),
      ...(cookies.size > 0 && { cookie: cookie() }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...given,
    }
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) }
    const answer = (await app.inject({ method: method!, url, remoteAddress, headers, ...payload })) as Response
    for (const set of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return answerOf(answer)
  }
  /** An operation of the dashboard's own API. */
  const ask = (method: InjectOptions['method'], path: string, body?: unknown, given?: object) =>
    send(method, `/dashboard/api${path}`, body, given)
  return {
    ...{ cookies, cookie, send, ask },
    me: () => ask('GET', '/me'),
    changeMe: (change: object) => ask('PATCH', '/me', change),
    signIn: (account: object) => ask('POST', '/sign-in', account),
    /** Opens a link: of a sign-in, of an invitation, or of a choice. */
    enter: (token: string) => ask('POST', '/sign-in-link', { token }),
  }
}
