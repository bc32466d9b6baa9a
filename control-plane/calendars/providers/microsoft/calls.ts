/** Calls of Microsoft Graph: one, and the pages of a list. */
import { z } from 'zod'
import { type Clock, ProviderError } from '../../../platform/ports.ts'
import type { MeetingUrlOptions } from '../../meeting-url.ts'
import { longText } from '../fields.ts'
import { PageBounds } from '../pages.ts'
import { bodyOf } from '../responses.ts'
import { type ProviderHttp, type ProviderRequest, type ProviderResponse, send } from '../transport.ts'
import { graphProblem } from './problems.ts'

export const NAME = 'Microsoft'

export interface MicrosoftSettings extends MeetingUrlOptions {
  http: ProviderHttp
  clock: Clock
  /** Such as `https://graph.microsoft.com`. */
  graph: string
  microsoftLogin: string
}

/** Times in UTC; pages of a size that the answers' bodies fit into. */
const PREFER = 'outlook.timezone="UTC", odata.maxpagesize=50'

/** Rejects with the problem of a response that is no success. */
export async function sendToGraph(http: ProviderHttp, request: ProviderRequest): Promise<ProviderResponse> {
  const response = await send(http, NAME, { ...request, headers: { prefer: PREFER, ...request.headers } })
  if (response.status < 200 || response.status >= 300) throw graphProblem(response, request)
  return response
}

const page = z.object({
  value: z.array(z.unknown()),
  '@odata.nextLink': longText,
  '@odata.deltaLink': longText,
})

export interface Pages {
  items: unknown[]
  /** Null but at the end of a round of changes. */
  deltaLink: string | null
}

/** All pages from `url` on. Links of pages are used as they come, at Graph's own address only: they carry the token. */
export async function readGraphPages(
  settings: MicrosoftSettings,
  accessToken: string,
  what: string,
  url: string,
  usesCursor = false,
): Promise<Pages> {
  const bounds = new PageBounds(NAME, what, usesCursor)
  const items: unknown[] = []
  let next = url
  while (true) {
    const response = await sendToGraph(settings.http, { what, url: next, accessToken, usesCursor })
    const body = bodyOf(response, page, NAME, what)
    const { '@odata.nextLink': nextLink, '@odata.deltaLink': deltaLink } = body
    for (const link of [nextLink, deltaLink])
      if (link !== null && !isOfGraph(settings, link))
        throw new ProviderError('unavailable', `${NAME}'s answer to ${what} leads to another host`)
    items.push(...body.value)
    bounds.count(response, body.value.length, nextLink)
    if (nextLink === null) return { items, deltaLink }
    next = nextLink
  }
}

export function isOfGraph({ graph }: MicrosoftSettings, link: string): boolean {
  return URL.canParse(link) && new URL(link).origin === new URL(graph).origin
}
