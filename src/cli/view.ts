import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { styleText } from 'node:util'
import type { BotEvent, FinalReport } from '@standin/wire/events.ts'
import { REASON_TABLE } from '@standin/wire/reasons.ts'
import { jsonText } from '@standin/wire/text/json-text.ts'
import { shownBytes } from '@standin/wire/text/shown-bytes.ts'
import type { BotUsage } from '@standin/wire/usage.ts'
import type { View } from '../main.ts'
import { shownDuration, shownText } from './shown-text.ts'

/** One JSON line for each event and nothing else on `output`, for programs; notes for people are written to `beside`. */
export function jsonLinesView(output: NodeJS.WritableStream, beside: NodeJS.WritableStream): View {
  return {
    onEvent: (event) => output.write(`${jsonText(event)}\n`),
    onPartial: (transcript) => output.write(`${jsonText({ type: 'partial_transcript', transcript })}\n`),
    note: (text) => beside.write(`${text}\n`),
    end: (place, hasRecorded) => beside.write(`${placeSentence(place, hasRecorded)}\n`),
    close() {},
  }
}

const placeSentence = (place: string, hasRecorded: boolean) =>
  `${hasRecorded ? 'The recording' : 'The report'} is in ${place}`

/** Where the files are, and what a person can do with them next. */
export function lastLines(place: string, hasRecorded: boolean, isContainer: boolean): string[] {
  const report = join(place, 'report.html')
  const lines = [placeSentence(place, hasRecorded)]
  if (!existsSync(report)) return lines
  if (isContainer) lines.push('Open:   report.html there; outside of this container the folder is where you mounted it')
  else
    lines.push(
      `Open:   ${pathToFileURL(report).href}`,
      `Serve:  standin serve ${shellWord(relativePath(dirname(place)))}`,
    )
  return lines
}

/** Shorter, if the place is below the current folder. */
function relativePath(path: string): string {
  const short = relative(process.cwd(), path)
  return short === '' ? '.' : short.startsWith('..') ? path : short
}

const shellWord = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

type Color = Parameters<typeof styleText>[0]
const COLORS: Readonly<Record<string, Color>> = {
  '✓': 'green',
  '✗': 'red',
  '!': 'yellow',
  '•': 'bold',
  '·': 'gray',
  '-': 'gray',
  ' ': 'gray',
}

/** A sentence in the color of its first character, if the output is a terminal that wants colors. */
export function colored(sentence: string, output: NodeJS.WritableStream): string {
  const color = COLORS[sentence[0] ?? '']
  return color === undefined ? sentence : styleText(color, sentence, { stream: output })
}

/** Statuses in words, also those that only the service knows. */
export const STATUS_WORDS: Readonly<Record<string, string>> = {
  scheduled: 'scheduled: waiting for its time',
  joining_call: 'joining',
  in_waiting_room: 'waiting to be admitted',
  in_call_not_recording: 'in the meeting',
  in_call_recording: 'recording',
  recording_paused: 'paused',
  recording_resumed: 'recording',
  transcribing: 'making the transcript',
}

/** Of a bot that was asked to leave; nothing failed. */
export const LEFT_EARLY = 'EXITING_MEETING_BEFORE_RECORD'

/** An event as a sentence; null if the status line shows it anyway. */
export function sentenceFor(event: BotEvent): string | null {
  switch (event.type) {
    case 'status_change':
      if (event.error_code === LEFT_EARLY)
        return `✓ left before recording began: ${shownText(event.error_message ?? '', 500)}`
      if (event.status === 'failed') return `✗ ${event.error_code}: ${shownText(event.error_message ?? '', 500)}`
      if (event.status === 'completed') return `✓ completed: ${shownText(event.end_message ?? event.end_code ?? '')}`
      return `• ${STATUS_WORDS[event.status] ?? event.status}`
    case 'participant_joined':
      return `+ ${shownText(event.participant.name, 60)} joined`
    case 'participant_left':
      return `- ${shownText(event.participant.name, 60)} left`
    case 'participant_changed':
      return `= ${shownText(event.participant.name, 60)} is the name now`
    case 'chat_message': {
      const said = [event.text, ...(event.files ?? []).map(({ name }) => `📎 ${name}`)].filter(Boolean).join(' ')
      return `💬 ${shownText(event.sender_name, 60)}${event.is_direct ? ' (direct)' : ''}: ${shownText(said, 500)}`
    }
    case 'chat_message_changed':
      if (event.is_deleted) return '💬 A message was deleted'
      return event.is_edited ? `💬 Edited: ${shownText(event.text, 500)}` : null
    case 'reaction':
      return `${shownText(event.name, 60)} reacted with ${shownText(event.emoji, 20)}`
    case 'hand_raised':
      return `✋ ${shownText(event.name, 60)} ${event.is_raised ? 'raised' : 'lowered'} a hand`
    case 'transcript':
      return `${shownDuration(event.start)} ${shownText(event.speaker?.name ?? 'Unknown', 60)}: ${shownText(event.text, 2000)}`
    case 'chat_availability':
      return event.is_available ? 'Chat is on' : 'Chat is off in this meeting'
    case 'screen_share':
      return event.is_sharing
        ? `▣ ${shownText(event.participant?.name ?? 'A participant', 60)} shares a screen`
        : '▣ sharing ended'
    case 'join_denied':
      return '! The request to join was denied'
    case 'notice':
      return `${event.level === 'warning' ? '!' : '·'} ${shownText(event.message, 400)}`
    case 'recording_gap':
      return `! ${shownDuration(event.seconds)} of the meeting are missing at ${shownDuration(event.offset)}`
    case 'artifact': {
      const { name, bytes, duration_seconds } = event.artifact
      const length = duration_seconds === undefined ? '' : `, ${shownDuration(duration_seconds)}`
      return `  stored ${name} (${shownBytes(bytes)}${length})`
    }
    case 'transcription_started':
      return `· making the transcript of ${shownDuration(event.seconds)} (${event.provider})`
    case 'final_report':
      return reportSentence(event)
    case 'speaker':
    case 'recording_progress':
      return null
  }
}

/** Help against the reason of the end, and the resources that the bot used. */
function reportSentence({ reason, usage }: FinalReport): string | null {
  const lines = reason ? [`  → ${REASON_TABLE[reason].title}. ${REASON_TABLE[reason].setting}`] : []
  if (usage !== undefined) lines.push(usageSentence(usage))
  return lines.length === 0 ? null : lines.join('\n')
}

function usageSentence(usage: BotUsage): string {
  const seconds = Object.values(usage.phase_seconds).reduce((sum, one) => sum + one, 0)
  const memory = usage.peak_memory_bytes === null ? '' : `, up to ${shownBytes(usage.peak_memory_bytes)} of memory`
  const bytes = (['received', 'sent', 'stored'] as const).map((way) => `${shownBytes(usage[`bytes_${way}`])} ${way}`)
  return `  used ${usage.core_seconds.toFixed(1)} core seconds in ${shownDuration(seconds)}${memory}, ${bytes.join(', ')}`
}
