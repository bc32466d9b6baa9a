/** The reaction of a bot to a change of its event: the rules of docs/calendars.md#how-bots-follow-events. Pure. */
import type { Followed } from '../store/calendars/intents.ts'

/** A bot whose join time is nearer is being started: it goes to what was planned. */
export const LOCK_MS = 4 * 60_000

export type FollowStep =
  | { step: 'nothing' }
  /** A bot is made: the first one, or a second one for details that came too late for the last. */
  | { step: 'create'; url: string }
  /** The schedule takes the event's start and link. */
  | { step: 'move'; url: string }
  /** The schedule is cancelled, running bots are stopped. */
  | { step: 'cancel' }
  /** A person cancelled the bot itself. The event gets no other bot. */
  | { step: 'give_up' }

export function followStep({ event, intent, bot, openBots }: Followed, now: Date): FollowStep {
  if (intent === null || intent.state !== 'wanted') return { step: 'nothing' }
  if (event.status === 'cancelled')
    return openBots.length > 0 || intent.bot_id !== null ? { step: 'cancel' } : { step: 'nothing' }
  const url = linkOf(event.meeting_url, intent.meeting_url)
  const isOver = event.ends_at <= now
  if (url === null) return { step: 'nothing' }
  if (bot === null) return isOver ? { step: 'nothing' } : { step: 'create', url }
  if (bot.schedule_status === 'cancelled') return { step: 'give_up' }
  const isSame = intent.bot_join_at?.getTime() === event.starts_at.getTime() && intent.bot_meeting_url === url
  if (isSame) return { step: 'nothing' }
  const isMovable =
    bot.phase === 'scheduled' && bot.join_at !== null && bot.join_at.getTime() >= now.getTime() + LOCK_MS
  if (isMovable) return isOver ? { step: 'cancel' } : { step: 'move', url }
  return isOver ? { step: 'nothing' } : { step: 'create', url }
}

/** A link that was there stays in use when the event loses it. */
export function linkOf(link: string | null, captured: string | null): string | null {
  return link ?? captured
}
