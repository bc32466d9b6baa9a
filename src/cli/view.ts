import { jsonText } from '@standin/base/json-text.ts'
import type { BotEvent } from '@standin/wire/events.ts'
import type { View } from '../main.ts'
import { shownBytes, shownDuration, shownText } from './shown-text.ts'

/** One JSON line for each event and nothing else on `output`, for programs; notes for people are written to `beside`. */
export function jsonLinesView(output: NodeJS.WritableStream, beside: NodeJS.WritableStream): View {
  return {
    onEvent: (event) => output.write(`${jsonText(event)}\n`),
    onPartial: (transcript) => output.write(`${jsonText({ type: 'partial_transcript', transcript })}\n`),
    note: (text) => beside.write(`${text}\n`),
    close() {},
  }
}

/** An event as a sentence; null if the status line shows it anyway. */
export function sentenceFor(event: BotEvent): string | null {
  switch (event.type) {
    case 'status_change':
      if (event.status === 'failed') return `✗ ${event.error_code}: ${shownText(event.error_message ?? '')}`
      if (event.status === 'completed') return `✓ completed: ${shownText(event.end_message ?? event.end_code ?? '')}`
      return `• ${event.status.replaceAll('_', ' ')}`
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
    case 'speaker':
    case 'recording_progress':
    case 'final_report':
      return null
  }
}
