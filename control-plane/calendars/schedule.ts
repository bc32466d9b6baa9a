/** The bots that callers request for events: scheduled, changed and cancelled, for one event or all of its series. */

import { meetingsIn } from '@standin/wire/meeting-links/index.ts'
import { changeScheduledBot } from '../bots/actions/change-scheduled-bot.ts'
import { stopBots } from '../bots/actions/stop-bot.ts'
import { type BotRequest, problemOfZoomToken } from '../bots/request.ts'
import { ProviderError } from '../platform/ports.ts'
import { logChange } from '../store/audit-log.ts'
import { lockCalendar } from '../store/calendars/calendars.ts'
import {
  botOfIntent,
  botOfSeries,
  endSeriesIntent,
  type Followed,
  openSeriesIntent,
  readFollowed,
  updateIntents,
  writeIntent,
  writeIntentBot,
  writeSeriesIntent,
} from '../store/calendars/intents.ts'
import { eventOf, seriesOfCalendar } from '../store/calendars/targets.ts'
import { nowOf } from '../store/clock.ts'
import type { Tx } from '../store/database.ts'
import type { BotRow, CalendarRow } from '../store/rows/index.ts'
import { followEvents } from './bots-of-events.ts'
import { LOCK_MS, linkOf } from './follow.ts'
import { type BotsResult, type BotTarget, isCalendarOf, type RefusedEvent } from './operations.ts'
import type { SyncTools } from './sync.ts'

const LONG_PAST_MS = 24 * 3_600_000

interface Aimed {
  tx: Tx
  calendar: CalendarRow
  /** Null: one event. */
  seriesId: string | null
  events: Followed[]
  now: Date
}

/** The work with the events of a target, under the lock of their calendar. */
async function aim(
  tools: SyncTools,
  action: 'calendar_bots.schedule' | 'calendar_bots.change' | 'calendar_bots.cancel',
  target: BotTarget,
  work: (aimed: Aimed, result: BotsResult) => Promise<void>,
): Promise<BotsResult> {
  return tools.database.transaction().execute(async (tx) => {
    const isSeries = target.allOccurrences && target.seriesId !== null
    const event = isSeries || target.eventId === null ? undefined : await eventOf(tx, target.eventId)
    if (!isSeries && event === undefined) throw new ProviderError('event_not_found', 'There is no event with this id')
    const series = isSeries ? await seriesOfCalendar(tx, target.seriesId!) : undefined
    if (isSeries && series === undefined) throw new ProviderError('series_not_found', 'There is no series with this id')
    const calendarId = (event ?? series)!.calendar_id
    const calendar = await lockCalendar(tx, calendarId)
    const isOurs = calendar !== undefined && isCalendarOf(target, calendar)
    if (calendar === undefined || !isOurs || (target.calendarId !== null && target.calendarId !== calendarId))
      // Also where the calendar of the target is not the caller's: a caller who names one was checked for it already.
      throw new ProviderError(isSeries ? 'series_not_found' : 'event_not_found', 'There is no event with this id')
    const seriesId = target.allOccurrences ? (event?.series_id ?? target.seriesId) : null
    const events = await readFollowed(tx, calendarId, seriesId === null ? { eventIds: [event!.id] } : { seriesId })
    if (seriesId === null && events.length === 0)
      throw new ProviderError('event_not_found', 'There is no event with this id')
    const result: BotsResult = { eventIds: [], refused: [] }
    await work({ tx, calendar, seriesId, events, now: await nowOf(tx) }, result)
    if (result.eventIds.length > 0 || seriesId !== null)
      await logChange(tx, { teamId: calendar.team_id, action, target: seriesId ?? target.eventId })
    return result
  })
}

export function scheduleBots(
  tools: SyncTools,
  target: BotTarget,
  bot: BotRequest,
  apiKeyId: string | null,
): Promise<BotsResult> {
  return aim(tools, 'calendar_bots.schedule', target, async ({ tx, calendar, seriesId, events, now }, result) => {
    const rule =
      seriesId === null
        ? null
        : await writeSeriesIntent(tx, tools.seals, { calendarId: calendar.id, seriesId, apiKeyId, bot })
    for (const one of events) {
      const refusal = refusalToSchedule(one, now)
      if (refusal === null) checkZoomApp(tools, one, bot)
      const isPassedOver = rule !== null && (refusal?.code === 'EVENT_OVER' || refusal?.code === 'EVENT_CANCELLED')
      if (refusal !== null && !isPassedOver) result.refused.push(refusal)
      // An occurrence that gets a link later gets its bot then.
      const waitsForLink = rule !== null && refusal?.code === 'NO_MEETING_URL'
      if (refusal !== null && !waitsForLink) continue
      await writeIntent(tx, tools.seals, one.intent, {
        calendarId: calendar.id,
        eventId: one.event.id,
        state: 'wanted',
        apiKeyId,
        bot: rule === null ? bot : null,
        seriesIntentId: rule,
      })
      if (refusal === null) result.eventIds.push(one.event.id)
    }
    await followEvents(tx, tools, calendar, { eventIds: result.eventIds })
  })
}

/** Rejects if the event's link is one of Zoom and the bot has a token of Zoom, but no app that the token could be used with. */
function checkZoomApp(
  { jitsiHosts, hasZoomApp }: SyncTools,
  { event, intent }: Pick<Followed, 'event' | 'intent'>,
  bot: BotRequest,
): void {
  const link = linkOf(event.meeting_url, intent?.meeting_url ?? null)
  const [meeting] = link === null ? [] : meetingsIn(link, { jitsiHosts })
  const problem = hasZoomApp ? null : problemOfZoomToken(meeting?.platform, bot)
  if (problem !== null) throw new ProviderError('zoom_app_missing', problem)
}

function refusalToSchedule({ event, intent, bot }: Followed, now: Date): RefusedEvent | null {
  const refuse = (code: RefusedEvent['code'], message: string) => ({ eventId: event.id, code, message })
  if (intent?.state === 'wanted' && bot !== null && bot.phase !== 'closed')
    return refuse('BOT_ALREADY_SCHEDULED', 'The event has a bot already')
  if (event.status === 'cancelled') return refuse('EVENT_CANCELLED', 'The event is cancelled')
  if (event.ends_at <= now) return refuse('EVENT_OVER', 'The event is over')
  if (linkOf(event.meeting_url, intent?.meeting_url ?? null) === null)
    return refuse('NO_MEETING_URL', 'The event has no link to a meeting')
  return null
}

export function changeBots(
  tools: SyncTools,
  target: BotTarget,
  change: (before: BotRequest) => BotRequest,
): Promise<BotsResult> {
  return aim(tools, 'calendar_bots.change', target, async ({ tx, calendar, seriesId, events, now }, result) => {
    const rule = seriesId === null ? undefined : await openSeriesIntent(tx, seriesId)
    if (rule !== undefined)
      await writeSeriesIntent(tx, tools.seals, {
        calendarId: calendar.id,
        seriesId: seriesId!,
        apiKeyId: rule.api_key_id,
        bot: change(botOfSeries(tools.seals, rule)),
      })
    for (const one of events) {
      const { event, intent, bot } = one
      const before = botOfIntent(tools.seals, one)
      const isWanted = intent?.state === 'wanted' && before !== null
      if (seriesId !== null && (event.ends_at <= now || (!isWanted && rule !== undefined))) continue
      if (!isWanted || bot?.schedule_status === 'cancelled') {
        result.refused.push(notScheduled(event.id))
        continue
      }
      if (bot !== null && !isChangeable(bot, now)) {
        if (seriesId !== null && bot.phase === 'closed') continue
        result.refused.push(tooLate(event.id))
        continue
      }
      const after = change(before)
      checkZoomApp(tools, one, after)
      const usesRule = seriesId !== null && intent.bot === null && rule?.id === intent.series_intent_id
      if (!usesRule) await writeIntentBot(tx, tools.seals, intent.id, after)
      const reason = 'The request for the bot of this calendar event was changed.'
      if (bot !== null) await changeScheduledBot(tx, tools.seals, bot, { request: after, reason }, now)
      result.eventIds.push(event.id)
    }
  })
}

function isChangeable(bot: BotRow, now: Date): boolean {
  return bot.phase === 'scheduled' && bot.join_at !== null && bot.join_at.getTime() >= now.getTime() + LOCK_MS
}

export function cancelBots(tools: SyncTools, target: BotTarget): Promise<BotsResult> {
  return aim(tools, 'calendar_bots.cancel', target, async ({ tx, calendar, seriesId, events, now }, result) => {
    const isRuled = seriesId !== null && (await openSeriesIntent(tx, seriesId)) !== undefined
    if (seriesId !== null) await endSeriesIntent(tx, seriesId)
    const stopped: BotRow[] = []
    const updates = []
    for (const { event, intent, seriesIntent, bot, openBots } of events) {
      const isLongPast = seriesId !== null && event.starts_at.getTime() < now.getTime() - LONG_PAST_MS
      if (intent === null || intent.state !== 'wanted') {
        if (!isRuled && !isLongPast) result.refused.push(notScheduled(event.id))
        if (seriesId !== null && intent?.state === 'excluded') updates.push({ ...intent, state: 'ended' as const })
        continue
      }
      const hasEnded = bot !== null && openBots.length === 0
      const isOlder = calendar.generation === 'older'
      if (hasEnded && seriesId === null && !isOlder) {
        result.refused.push(botEnded(event.id))
        continue
      }
      // Also where no bot is left to stop: if the event moved to a time to come, it would get another one.
      stopped.push(...openBots)
      const isRuleLeft = seriesId === null && seriesIntent !== null && seriesIntent.ended_at === null
      const state = isRuleLeft ? ('excluded' as const) : ('ended' as const)
      updates.push({ ...intent, state, bot_id: null, bot_join_at: null, bot_meeting_url: null })
      if (!isLongPast && (!hasEnded || isOlder)) result.eventIds.push(event.id)
    }
    await stopBots(tx, stopped, now)
    await updateIntents(
      tx,
      updates.map(({ id, state, meeting_url, bot_id, bot_join_at, bot_meeting_url }) => ({
        id,
        state,
        meeting_url,
        bot_id,
        bot_join_at,
        bot_meeting_url,
      })),
    )
  })
}

const notScheduled = (eventId: string): RefusedEvent => ({
  eventId,
  code: 'NOT_SCHEDULED',
  message: 'No bot is scheduled for the event',
})
const tooLate = (eventId: string): RefusedEvent => ({
  eventId,
  code: 'BOT_STATUS',
  message: 'The bot of an event can be changed until 4 minutes before its start',
})
const botEnded = (eventId: string): RefusedEvent => ({
  eventId,
  code: 'BOT_STATUS',
  message: 'The bot of the event has ended already',
})
