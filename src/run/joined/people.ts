/**
 * Who was there, who spoke and what was written in all parts: their events are taken once more, as if one bot had lived
 * through all of them. So numbers of people and places in the recording are those of the whole.
 */
import type { BotEvent, Person } from '@standin/wire/events.ts'
import type { ChatContent, MeetingEvent } from '../../../packages/core/meeting/meeting.ts'
import { ChatRecord } from '../chat-record.ts'
import { Timeline } from '../timeline.ts'
import type { PartFacts } from './part.ts'

export function joinPeople(parts: readonly PartFacts[]) {
  const spans = parts.flatMap((part) => part.spans)
  const timeline = new Timeline(() => spans)
  const chat = new ChatRecord(timeline)
  /** Of each part: the platform's ids by the part's numbers. */
  const ids = parts.map(() => new Map<number, string>())
  /** Of each part: the ids of its bot's own messages in the whole; each bot counts its own. */
  const ownIds = parts.map(() => new Map<string, string>())
  const messageIdOf = (part: number, id: string) => ownIds[part]?.get(id) ?? id
  const present = new Set<string>()
  const ownTexts = new Set<string>()
  const addToRoster = (event: MeetingEvent) => {
    if (event.type === 'participant_joined') present.add(event.participant.id)
    if (event.type === 'participant_left') present.delete(event.participantId)
    timeline.onEvent(event)
    chat.record(event)
  }
  for (const [place, part] of parts.entries()) {
    const known = ids[place]!
    for (const { at, event } of part.events) {
      for (const person of peopleIn(event)) known.set(person.id, person.platform_id)
      if (event.type === 'chat_message' && event.is_own) {
        ownTexts.add(event.text)
        const own = chat.takeOwn(event.sender_name, event.text, Date.parse(event.timestamp))
        ownIds[place]!.set(event.message_id, own.message_id)
        continue
      }
      const seen = meetingEventOf(event, Date.parse(at), {
        person: (id) => known.get(id) ?? null,
        message: (id) => messageIdOf(place, id),
      })
      // To this part's bot, chat messages of an earlier attempt are those of another participant.
      if (place > 0 && seen?.type === 'chat_message' && ownTexts.has(seen.message.text)) continue
      if (seen !== null) addToRoster(seen)
    }
    // The roster is unknown until the next part began; participants who stayed join again there.
    if (place < parts.length - 1)
      for (const participantId of [...present])
        addToRoster({ type: 'participant_left', participantId, at: part.endedAt })
  }
  timeline.close(parts.at(-1)?.endedAt ?? 0, spans.at(-1)?.endedAt)
  return {
    timeline,
    chat,
    /** The id in the whole recording of a part's message. */
    messageIdOf,
    /** The number in the whole recording of a part's person; null for an unknown one. */
    numberOf(part: number, id: number | null): number | null {
      return id === null ? null : (timeline.known(ids[part]?.get(id) ?? null)?.id ?? null)
    },
  }
}

function peopleIn(event: BotEvent): Person[] {
  return 'participant' in event && event.participant !== null ? [event.participant] : []
}

/** From the ids of a part to those of the platform or of the whole. */
interface Ids {
  person(id: number): string | null
  message(id: string): string
}

/** The driver's event behind an event of the bot; null for events that are not about people. */
function meetingEventOf(event: BotEvent, at: number, ids: Ids): MeetingEvent | null {
  switch (event.type) {
    case 'participant_joined':
    case 'participant_changed': {
      const { platform_id: id, name, is_host: isHost } = event.participant
      return { type: event.type, participant: { id, name, ...(isHost !== undefined && { isHost }) }, at }
    }
    case 'participant_left':
      return { type: 'participant_left', participantId: event.participant.platform_id, at }
    case 'speaker':
      return {
        type: 'speaking',
        participantId: event.participant.platform_id,
        isSpeaking: event.is_speaking,
        source: event.source,
        confidence: event.confidence,
        at: event.timestamp * 1000,
      }
    case 'chat_message':
      return {
        type: 'chat_message',
        message: {
          id: event.message_id,
          senderId: event.sender_id === null ? null : ids.person(event.sender_id),
          senderName: event.sender_name,
          at: Date.parse(event.timestamp),
          isOwn: false,
          ...(event.is_direct && { isDirect: true }),
          ...contentOf(event, ids),
        },
      }
    case 'chat_message_changed': {
      const content = { ...contentOf(event, ids), ...(event.is_deleted && { isDeleted: true }) }
      const messageId = ids.message(event.message_id)
      return { type: 'chat_message_changed', messageId, content, at: Date.parse(event.timestamp) }
    }
    case 'reaction':
    case 'hand_raised': {
      const common = {
        participantId: event.participant?.platform_id ?? null,
        name: event.name,
        at: Date.parse(event.timestamp),
      }
      return event.type === 'reaction'
        ? { type: 'reaction', emoji: event.emoji, ...common }
        : { type: 'hand_raised', isRaised: event.is_raised, ...common }
    }
    default:
      return null
  }
}

function contentOf(event: Extract<BotEvent, { type: 'chat_message' | 'chat_message_changed' }>, ids: Ids): ChatContent {
  const { text, is_cut, is_edited, reply_to, links, files, reactions } = event
  return {
    text,
    ...(is_cut && { isCut: true }),
    ...(is_edited && { isEdited: true }),
    ...(reply_to !== undefined && { replyTo: ids.message(reply_to) }),
    ...(links && { links }),
    ...(files && { files }),
    ...(reactions && {
      reactions: reactions.map(({ emoji, count, user_ids }) => ({
        emoji,
        count,
        participantIds: user_ids.flatMap((id) => ids.person(id) ?? []),
      })),
    }),
  }
}
