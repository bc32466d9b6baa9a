/** Writes events of the platform into the timeline and reports them with participant numbers and recording time. */

import type { BotEvent } from '@standin/wire/events.ts'
import type { Job } from '@standin/wire/job.ts'
import { type MeetingEvent, OWN_ID } from '../../packages/core/meeting/meeting.ts'
import type { ControlPlane } from '../../packages/core/ports.ts'
import type { ChatRecord } from './chat-record.ts'
import type { Timeline } from './timeline.ts'

/** Handles one event. Its meaning for the bot's end is decided elsewhere. */
export function noteMeeting(
  event: MeetingEvent,
  {
    timeline,
    chatRecord,
    control,
  }: { timeline: Timeline; chatRecord: ChatRecord; control: Pick<ControlPlane, 'report'> },
): void {
  timeline.onEvent(event)
  const report = reportOf(event, timeline) ?? chatRecord.record(event)
  if (report !== null) control.report(report)
}

/** Notes that the bot began to speak, or ended: it is a speaker as people are, and a participant of no visit. */
export function noteOwnSpeech(
  run: Parameters<typeof noteMeeting>[1] & { job: Pick<Job, 'bot_name'> },
  isSpeaking: boolean,
  at: number,
): void {
  const participant = { id: OWN_ID, name: run.job.bot_name }
  if (run.timeline.known(OWN_ID) === null) noteMeeting({ type: 'participant_changed', participant, at }, run)
  const source = { source: 'audio_level', confidence: 1 } as const
  noteMeeting({ type: 'speaking', participantId: OWN_ID, isSpeaking, ...source, at }, run)
}

function reportOf(event: MeetingEvent, timeline: Timeline): BotEvent | null {
  /** A copy, since a later rename must not reach into what was reported. */
  const person = (platformId: string) => ({ ...timeline.person(platformId) })
  switch (event.type) {
    case 'participant_joined':
    case 'participant_changed':
      return { type: event.type, participant: person(event.participant.id), offset: timeline.offset(event.at) }
    case 'participant_left':
      return { type: event.type, participant: person(event.participantId), offset: timeline.offset(event.at) }
    case 'speaking':
      return {
        type: 'speaker',
        participant: person(event.participantId),
        is_speaking: event.isSpeaking,
        timestamp: event.at / 1000,
        offset: timeline.offset(event.at),
        source: event.source,
        confidence: event.confidence,
      }
    case 'chat_availability':
      return { type: 'chat_availability', is_available: event.isAvailable }
    case 'screen_share': {
      const participant = event.participantId === null ? null : person(event.participantId)
      return { type: 'screen_share', participant, is_sharing: event.isSharing, offset: timeline.offset(event.at) }
    }
    case 'events_dropped':
      return {
        type: 'notice',
        level: 'warning',
        message: `${event.count} chat messages or other events are missing: the page had more of them than the bot could read in time.`,
      }
    case 'events_refused':
      return {
        type: 'notice',
        level: 'warning',
        message: `${event.count} answers of the meeting page so far were of no known kind and were left out: names, speakers or chat may be incomplete.`,
      }
    case 'unread_messages':
      return {
        type: 'notice',
        level: 'warning',
        message: `The bot cannot read messages of the platform (${event.channels.join(', ')}); names, speakers, chat or captions may be incomplete. The platform may have changed its protocol.`,
      }
    case 'muted_by_host':
      return { type: 'notice', level: 'info', message: 'The host muted the bot.' }
    case 'connection':
      return { type: 'notice', level: 'warning', message: `The meeting's connection was ${event.state}.` }
    default:
      return null
  }
}
