/** Requests of the dashboard: the public API and the dashboard's own, both with the session cookie. */
import type { components, paths } from '@standin/client/dashboard.ts'
import { answerOf, createStandinClient, type Schemas, StandinApiError } from '@standin/client/index.ts'
import createClient from 'openapi-fetch'
import { watchedFetch } from './away.ts'
import { SERVICE } from './place.ts'

const headers = { 'x-requested-by': 'dashboard' }

export const { v2 } = createStandinClient({ baseUrl: SERVICE, headers, fetch: watchedFetch as typeof fetch })
export const dashboard = createClient<paths>({
  baseUrl: `${SERVICE}/dashboard/api`,
  headers,
  fetch: watchedFetch,
})
export { answerOf, type Schemas, StandinApiError }

export const readScheduled = (bot_id: string) =>
  answerOf(v2.GET('/v2/bots/scheduled/{bot_id}', { params: { path: { bot_id } } })).then(({ data }) => data)

export type Bot = Schemas['Bot']
/** As the client reads it. */
export type ScheduledBot = Awaited<ReturnType<typeof readScheduled>>
export type BotItem = Schemas['BotItem']
export type TimelineStep = Schemas['TimelineStep']
export type BotEvent = Schemas['BotEvent']
export type RawCalendar = Schemas['RawCalendar']
export type CalendarEventItem = Schemas['CalendarEventItem']
/** The answers of the dashboard's own API. */
export type Answers = components['schemas']
export type Role = Answers['Me']['role']
/** The parts of a recording whose bot failed during the meeting, and the gaps between them. */
export type Parts = Answers['RecordingParts']

/** The data of a success. Rejects with `StandinApiError`. */
export async function dataOf<T>(request: Parameters<typeof answerOf<{ data: T }>>[0]): Promise<T> {
  return (await answerOf(request)).data
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed'])

/** Whether the bot sends no more events. */
export const hasEnded = ({ status }: Pick<Bot, 'status'>): boolean => ENDED.has(status)

export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
