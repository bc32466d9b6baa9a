/** Updates the bots of events to match their intents, in the transaction that changes either. */
import { randomUUID } from 'node:crypto'
import { meetingsIn } from '@standin/wire/meeting-links/index.ts'
import { createBot } from '../bots/actions/create-bot.ts'
import { stopBots } from '../bots/actions/stop-bot.ts'
import type { BotChange } from '../bots/change.ts'
import type { Log, Seals } from '../platform/ports.ts'
import { applyChanges } from '../store/bots/changes.ts'
import {
  addEventBot,
  botOfIntent,
  type Followed,
  type IntentUpdate,
  readFollowed,
  updateIntents,
  type WhichEvents,
} from '../store/calendars/intents.ts'
import { nowOf } from '../store/clock.ts'
import type { Tx } from '../store/database.ts'
import type { BotRow, CalendarRow } from '../store/rows/index.ts'
import { followStep } from './follow.ts'

export interface FollowTools {
  seals: Seals
  log: Log
  jitsiHosts: readonly string[]
}

/** `calendar` is locked. Doing it again changes nothing. */
export async function followEvents(
  tx: Tx,
  tools: FollowTools,
  calendar: CalendarRow,
  which: WhichEvents,
): Promise<void> {
  const followed = await readFollowed(tx, calendar.id, which)
  const now = await nowOf(tx)
  const updates: IntentUpdate[] = []
  const stopped = new Map<string, BotRow>()
  const moved: { bot: BotRow; change: BotChange }[] = []
  for (const one of followed) {
    const { event, intent, bot, openBots } = one
    if (intent === null || intent.state !== 'wanted') continue
    const step = followStep(one, now)
    const update: IntentUpdate = {
      id: intent.id,
      state: 'wanted',
      meeting_url: event.meeting_url ?? intent.meeting_url,
      bot_id: intent.bot_id,
      bot_join_at: intent.bot_join_at,
      bot_meeting_url: intent.bot_meeting_url,
    }
    switch (step.step) {
      case 'create': {
        const botId = await createEventBot(tx, tools, calendar, one, step.url)
        if (botId !== null) Object.assign(update, planOf(botId, event, step.url))
        break
      }
      case 'move':
        moved.push({ bot: bot!, change: moveOf(bot!, event.starts_at, step.url, now, tools.jitsiHosts) })
        Object.assign(update, planOf(bot!.id, event, step.url))
        break
      case 'cancel': {
        // If only the schedule is removed, an older bot of the event stays.
        const ended = event.status === 'cancelled' ? openBots : bot === null ? [] : [bot]
        for (const one of ended) stopped.set(one.id, one)
        Object.assign(update, { bot_id: null, bot_join_at: null, bot_meeting_url: null })
        break
      }
      case 'give_up':
        update.state = one.seriesIntent !== null && one.seriesIntent.ended_at === null ? 'excluded' : 'ended'
        break
      case 'nothing':
        break
    }
    if (step.step !== 'nothing' || update.meeting_url !== intent.meeting_url) updates.push(update)
  }
  await stopBots(tx, [...stopped.values()], now)
  await applyChanges(tx, moved)
  await updateIntents(tx, updates)
}

const planOf = (botId: string, event: Followed['event'], url: string) => ({
  bot_id: botId,
  bot_join_at: event.starts_at,
  bot_meeting_url: url,
})

/** Null if the team may have no such bot, or the link is not supported; the next sync tries again. */
async function createEventBot(
  tx: Tx,
  { seals, log, jitsiHosts }: FollowTools,
  calendar: CalendarRow,
  followed: Followed,
  url: string,
): Promise<string | null> {
  const { event, intent } = followed
  const asked = botOfIntent(seals, followed)
  const [meeting] = meetingsIn(url, { jitsiHosts })
  if (asked === null || meeting === undefined) {
    log.warn(
      { team: calendar.team_id, calendar: calendar.id, event: event.id },
      'An event gets no bot: its link is of no supported platform',
    )
    return null
  }
  const botId = randomUUID()
  const created = await createBot(tx, seals, {
    id: botId,
    teamId: calendar.team_id,
    apiKeyId: intent?.api_key_id ?? calendar.api_key_id,
    generation: calendar.generation as 'v2' | 'older',
    isCompat: calendar.is_compat,
    meeting,
    request: asked,
    joinAt: event.starts_at,
    ...(calendar.generation === 'v2' ? { eventId: event.id } : { eventUuid: event.id }),
  })
  if ('refused' in created) {
    log.warn(
      { team: calendar.team_id, calendar: calendar.id, event: event.id, code: created.refused.code },
      'An event gets no bot',
    )
    return null
  }
  await addEventBot(tx, calendar.id, event.id, botId)
  return botId
}

function moveOf(bot: BotRow, startsAt: Date, url: string, now: Date, jitsiHosts: readonly string[]): BotChange {
  const [meeting] = url === bot.meeting_url ? [] : meetingsIn(url, { jitsiHosts })
  return {
    patch: {
      join_at: startsAt,
      due_at: startsAt,
      ...(meeting && {
        meeting_url: meeting.link,
        meeting_key: meeting.key,
        meeting_platform: meeting.platform,
      }),
    },
    steps: [
      {
        at: now,
        attempt: null,
        kind: 'changed',
        reason: `Its calendar event changed: it joins at ${startsAt.toISOString()}.`,
      },
    ],
    messages: [],
    ledger: [],
  }
}
