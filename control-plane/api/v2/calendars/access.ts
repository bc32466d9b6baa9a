/** Which calendars a caller of the newer generation may see: as with bots (`bots/access.ts`). */
import type { FastifyRequest } from 'fastify'
import { type CalendarOwner, readCalendar } from '../../../store/calendars/reads.ts'
import type { CalendarRow } from '../../../store/rows/index.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../http/errors.ts'
import { callerOf, checkFirst } from '../../http/generation.ts'
import { generationSeenBy } from '../bots/access.ts'
import { calendarParams } from './schema.ts'

export const ownerOf = (request: FastifyRequest): CalendarOwner => ({
  teamId: callerOf(request).teamId,
  generation: generationSeenBy(callerOf(request)),
})

/** Rejects with 404. */
export async function calendarOf(
  { database }: Pick<ApiDependencies, 'database'>,
  request: FastifyRequest,
  calendarId: string,
): Promise<CalendarRow> {
  const calendar = await readCalendar(database, ownerOf(request), calendarId)
  if (calendar === undefined) throw refusals.calendarNotFound(calendarId)
  return calendar
}

/** Makes a `preValidation` hook that answers for an unknown calendar before the body is validated. */
export const checkCalendarFirst = (dependencies: Pick<ApiDependencies, 'database'>) =>
  checkFirst(calendarParams, (request, { calendar_id }) => calendarOf(dependencies, request, calendar_id))
