/** The pages of the stand-in for people: the page of consent, and a page that makes requests fail. */
import { answerConsent, CONSENT_HEADERS } from '../shared/consent.ts'
import type { Reply, Request } from '../shared/scripted-server.ts'
import { escaped, plainPage } from '../shared/site.ts'
import { ALL_SCOPES } from './account.ts'
import { SERVER_ERROR, tooManyRequests } from './refusals.ts'
import type { ZoomOauth } from './server.ts'

/** The redirect target for a person without an application. */
export const DONE_PATH = '/done'

/** Events at Zoom, by the label of their button. */
const HAPPENINGS: Readonly<Record<string, (standIn: ZoomOauth) => void>> = {
  'Every user removes the app': ({ account }) => account.revoke(() => true),
  'Access tokens expire': ({ account }) => account.expireAccess(),
  'The next 3 requests for a token meet the limit': (standIn) => standIn.script('user_token', tooManyRequests(5), 3),
  'The next 3 refreshes fail': (standIn) => standIn.script('refresh', SERVER_ERROR, 3),
}

export function answerPerson(standIn: ZoomOauth, { method, url, headers, body }: Request): Reply {
  // Pages of other sites may point a name of theirs at this address; they get nothing.
  const host = (headers.host ?? '').replace(/:\d+$/, '')
  if (host !== '127.0.0.1' && host !== 'localhost') return { status: 421 }
  const form = method === 'POST' ? new URLSearchParams(body) : null
  if (url.pathname === '/oauth/authorize') return consentPage(standIn, url.searchParams, form)
  if (url.pathname === '/' && form === null) return pageOf(overview(standIn))
  if (url.pathname === DONE_PATH) return pageOf(done(standIn, url))
  if (url.pathname !== '/happen' || form === null) return { status: 404, body: { code: 404, message: 'No such path.' } }
  HAPPENINGS[form.get('what') ?? '']?.(standIn)
  return { status: 303, headers: { location: '/' } }
}

/** GET shows the page; POST is one of its buttons. Source: docs/platform-notes/zoom.md#oauth. */
function consentPage({ account }: ZoomOauth, query: URLSearchParams, form: URLSearchParams | null): Reply {
  const answer = answerConsent(query, form, {
    provider: 'Zoom',
    apps: account.apps,
    scopes: SCOPES,
    // The app itself names its scopes.
    offered: ALL_SCOPES,
    needsChallenge: false,
    accounts: account.users,
    problems: { client: 'Invalid client_id (4700)', redirect: 'Invalid redirect url (4700)' },
    allow({ account: id, scopes }, { clientId, ...bound }) {
      return account.consent(account.appOf(clientId)!, account.users.find((user) => user.id === id)!, {
        ...bound,
        scopes,
      })
    },
  })
  if ('location' in answer) return { status: 302, headers: { location: answer.location } }
  return { status: answer.status, headers: CONSENT_HEADERS, body: answer.page }
}

const SCOPES = {
  'user:read:user': 'View your profile',
  'user:read:token': 'Let bots join meetings on your behalf',
  'user:read:zak': 'Let bots join meetings as you',
}

/** In the place of the caller's application: what to do with the code. */
function done({ account, url: address }: ZoomOauth, url: URL): string {
  const code = url.searchParams.get('code')
  if (code === null)
    return `<h1>Not allowed</h1><p>${escaped(url.searchParams.get('error') ?? 'There is no code.')}</p>`
  const redirectUri = `${address}${DONE_PATH}`
  const app = account.apps.find(({ redirectUris }) => redirectUris.includes(redirectUri))
  const body = {
    name: 'Ann',
    client_id: app?.clientId,
    client_secret: app?.clientSecret,
    authorization_code: code,
    redirect_uri: redirectUri,
  }
  const command = `curl -X POST http://127.0.0.1:8080/v2/conf-credentials \\
  -H "x-service-api-key: $(cat service-data/api-key)" -H 'content-type: application/json' \\
  -d '${JSON.stringify(body)}'`
  return `<h1>Allowed</h1><p>The code works once and for ten minutes:</p><pre>${escaped(command)}</pre>`
}

function overview(standIn: ZoomOauth): string {
  const { account, requests, url } = standIn
  const apps = account.apps.map(({ clientId, clientSecret, redirectUris }) => {
    const address = new URL('/oauth/authorize', url)
    const query = { response_type: 'code', client_id: clientId, redirect_uri: redirectUris[0] ?? '', state: 'any' }
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
    return `<li>client_id <code>${escaped(clientId)}</code>, client_secret <code>${escaped(clientSecret)}</code>, redirect_uri
<code>${escaped(redirectUris[0] ?? '')}</code>: <a href="${escaped(address.href)}">page of consent</a></li>`
  })
  const buttons = Object.keys(HAPPENINGS).map((what) => `<button name="what" value="${what}">${what}</button> `)
  const last = requests
    .filter(({ operation }) => operation !== 'page')
    .slice(-30)
    .reverse()
    .map(({ operation, status }) => `<li>${operation}: ${status ?? 'no answer'}</li>`)
  return `<h1>Stand-in of Zoom's OAuth server</h1><ul>${apps.join('')}</ul>
<form method="post" action="/happen">${buttons.join('')}</form><h2>Last requests</h2><ul>${last.join('')}</ul>`
}

const pageOf = (body: string): Reply => ({
  status: 200,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  },
  body: plainPage('Stand-in of Zoom', body),
})
