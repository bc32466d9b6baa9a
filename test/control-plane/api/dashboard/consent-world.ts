/** The API with apps of the operator at the stand-ins of all three providers, and browsers of people who consent there. */

import type { ApiDependencies, ConsentProvider } from '../../../../control-plane/api/dependencies.ts'
import type { Role } from '../../../../control-plane/store/people/people.ts'
import { callbackOf } from '../../../../packages/mock/shared/consent.ts'
import { atEnd } from '../../../fakes/at-end.ts'
import { openCalendarWorld } from '../calendars/stand-ins.ts'
import { openConferencing } from '../conferencing.ts'

export type ConsentWorld = Awaited<ReturnType<typeof openConsentWorld>>

export async function openConsentWorld({ settings, ...options }: Partial<ApiDependencies> = {}) {
  const conferencing = await openConferencing()
  const { zoom, app, authority } = conferencing
  const publicUrl = settings?.publicUrl ?? 'http://127.0.0.1'
  app.redirectUris.push(callbackOf(publicUrl, 'zoom'))
  const world = await openCalendarWorld(
    { conferencing: authority, ...options, settings: { ...settings, publicUrl } },
    { zoom: { url: zoom.url, app } },
  )
  for (const provider of ['google', 'microsoft'] as const)
    world[provider].tokens.redirectUris.push(callbackOf(publicUrl, provider))
  /** How often the provider was asked to exchange a code. */
  const exchanges = (provider: ConsentProvider) =>
    provider === 'zoom' ? zoom.count('exchange') : world[provider].server.count('token')
  const close = async () => {
    await world.close()
    await conferencing.close()
  }
  atEnd(close)
  return {
    ...world,
    zoom,
    zoomApp: app,
    publicUrl,
    exchanges,

    /** A browser in which a person is signed in. */
    async person(role: Role = 'member', team?: { teamId: string }) {
      const person = await world.person(role, team)
      const begin = (provider: ConsentProvider, target: object = {}) =>
        person.ask('POST', `/connect/${provider}`, target)
      return {
        ...person,
        begin,
        /** The address of the page of consent, after the person pressed the button. */
        async press(provider: ConsentProvider, target: object = {}): Promise<string> {
          const { status, text, body } = await begin(provider, target)
          if (status !== 200) throw new Error(text)
          return body.data.address
        },
        /** Follows the provider's redirect: path and query of the page that the person sees then. */
        async comeBack(answer: URL): Promise<{ path: string; query: Record<string, string> }> {
          const { headers, status } = await person.send('GET', answer.pathname + answer.search)
          if (status !== 303) throw new Error(`The callback answered ${status}`)
          const { pathname, searchParams } = new URL(String(headers.location))
          return { path: pathname, query: Object.fromEntries(searchParams) }
        },
      }
    },
    close,
  }
}

export interface Choice {
  denies?: boolean
  /** Default: the one that is chosen on the page. */
  account?: string
  /** Scopes by a part of their names. */
  unticks?: string
}

/** The person fills in the page of consent. Resolves with the address to which the provider sends the browser back. */
export async function consentAt(address: string, { denies = false, account, unticks }: Choice = {}): Promise<URL> {
  const page = await (await fetch(address, { redirect: 'manual' })).text()
  const chosen = [...page.matchAll(/<input type="(radio|checkbox)" name="(\w+)" value="([^"]*)"( checked)?>/g)].map(
    ([, , name, value, checked]) => ({ name: name!, value: unescaped(value!), isChecked: checked !== undefined }),
  )
  if (chosen.length === 0) throw new Error(`No page of consent: ${page}`)
  const fields = chosen.filter(({ name, value, isChecked }) =>
    name === 'account' && account !== undefined
      ? value === account
      : isChecked && !(name === 'scope' && unticks !== undefined && value.includes(unticks)),
  )
  const form = new URLSearchParams(fields.map(({ name, value }) => [name, value]))
  form.set('decision', denies ? 'deny' : 'allow')
  const answer = await fetch(address, { method: 'POST', body: form, redirect: 'manual' })
  return new URL(answer.headers.get('location') ?? `no:${await answer.text()}`)
}

const unescaped = (html: string) => html.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
