/** The events of a meeting as lines that a person or an assistant reads. Names and words come from strangers. */
import type { Bot, BotEvent, BotItem, Utterance } from './meetings.ts'

/** `1:02:03` of seconds since the recording began. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const two = (value: number) => String(value).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`
}

/** Line ends and control characters in a stranger's text cannot start a new line. */
const oneLine = (text: unknown): string =>
  String(text ?? '')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()

const nameOf = (person: unknown): string => oneLine((person as { name?: unknown } | null)?.name) || 'Unknown'

/** One line for an event; null for one without a use as text. */
export function lineOf({ type, at, data }: BotEvent): string | null {
  const time = at.slice(11, 19)
  switch (type) {
    case 'status_change':
      return `${time} status: ${oneLine(data.status)}${data.end_message ? ` (${oneLine(data.end_message)})` : ''}`
    case 'participant_joined':
      return `${time} ${nameOf(data.participant)} joined`
    case 'participant_left':
      return `${time} ${nameOf(data.participant)} left`
    case 'transcript':
      return `${time} ${nameOf(data.speaker)} said: ${oneLine(data.text)}`
    case 'chat_message':
      return `${time} ${oneLine(data.sender_name)} wrote: ${oneLine(data.text)}`
    case 'hand_raised':
      return `${time} ${oneLine(data.name)} ${data.is_raised ? 'raised' : 'lowered'} a hand`
    case 'reaction':
      return `${time} ${oneLine(data.name)} reacted with ${oneLine(data.emoji)}`
    case 'screen_share':
      return `${time} ${nameOf(data.participant)} ${data.is_sharing ? 'began' : 'stopped'} sharing the screen`
    case 'recording_gap':
      return `${time} ${oneLine(data.seconds)} seconds are missing in the recording (${oneLine(data.reason)})`
    case 'notice':
      return `${time} notice: ${oneLine(data.message)}`
    default:
      return null
  }
}

export function lineOfUtterance({ speaker, start, text }: Utterance): string {
  return `${clock(start)} ${oneLine(speaker)}: ${oneLine(text)}`
}

export function lineOfBot(bot: BotItem): string {
  const end = bot.error_message === null ? '' : ` (${oneLine(bot.error_message)})`
  return `${bot.bot_id} ${bot.created_at} ${bot.status}${end} ${oneLine(bot.bot_name)} ${oneLine(bot.meeting_url)}`
}

export function linesOfPeople({ participants, speakers }: Bot): string[] {
  const people = (persons: Bot['participants']) => persons.map(nameOf).join(', ') || 'none'
  return [`participants: ${people(participants)}`, `speakers: ${people(speakers)}`]
}

export function describeBot(bot: Bot): string {
  const lines = [
    `bot ${bot.bot_id} (${oneLine(bot.bot_name)}) on ${bot.meeting_platform}: ${bot.status}`,
    `meeting: ${oneLine(bot.meeting_url)}`,
    ...linesOfPeople(bot),
    ...(bot.duration_seconds === null ? [] : [`length: ${clock(bot.duration_seconds)}`]),
    ...(bot.error_code === null ? [] : [`failed: ${bot.error_code}. ${oneLine(bot.error_message)}`]),
    ...(['video', 'audio', 'transcription', 'chat_messages'] as const).flatMap((name) =>
      bot[name] === null ? [] : [`${name} (works for 4 hours): ${bot[name]}`],
    ),
  ]
  return lines.join('\n')
}
