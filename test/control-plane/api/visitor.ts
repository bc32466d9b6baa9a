/** A browser in front of the API. It keeps cookies, and has its own address, so that tries are counted apart. */
import type { App } from '@standin/control-plane/api/http/generation.ts'
import type { InjectOptions, Response } from 'light-my-request'

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
    const text = answer.payload
    // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape.
    const parsed: any = /^application\/json/.test(String(answer.headers['content-type'])) ? JSON.parse(text) : null
    return { status: answer.statusCode, headers: answer.headers, text, body: parsed }
  }
  return { cookies, cookie, send }
}
