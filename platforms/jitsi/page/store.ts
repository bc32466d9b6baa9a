/**
 * Reads the state that the page keeps in its own global (docs/platform-notes/jitsi.md#state-of-the-page). A value that
 * another version of the page does not have is missing in the answer. The reader does not trust that a value exists,
 * that it is short, or that it means what its name says.
 */

import type { ChatFile, ChatMessage, ChatReaction } from '../../../packages/core/meeting/meeting.ts'
import { plainContent } from '../../shared/page/chat/chat-content.ts'
import { pageNow } from '../../shared/page/page-clock.ts'

interface StorePerson {
  id: string
  name: string
  isHost: boolean
  isHandRaised: boolean
}

interface StoreTrack {
  /** Id of the participant, also for a shared screen. */
  ownerId: string
  kind: 'audio' | 'video' | 'screen'
  isMuted: boolean
  track: MediaStreamTrack | null
  stream: MediaStream | null
}

/** A chat message, or a reaction in the meeting, which the page stores among the messages. */
export type StoreMessage = ChatMessage & { reactions: ChatReaction[] }

export interface StoreReaction {
  id: string
  senderId: string | null
  senderName: string
  emojis: string[]
  at: number
}

export interface StoreView {
  isJoined: boolean
  selfId: string | null
  people: StorePerson[]
  tracks: StoreTrack[]
  dominantId: string | null
  failure: string | null
  waitsForModerator: boolean
  isLobbyShown: boolean
  isKnocking: boolean
  microphone: 'on' | 'off' | null
  camera: 'on' | 'off' | null
  isChatOpen: boolean
  /** People are in another room of the meeting than the bot. */
  areRoomsOpen: boolean
}

const MAX_PEOPLE = 1000
const MAX_TRACKS = 3000
const MAX_MESSAGES = 500
const MAX_REACTIONS = 50
const MAX_ROOMS = 200
const MAX_NAME = 256
const MAX_TEXT = 10_000
const MAX_ID = 128

type Foreign = Record<string, unknown>

/** Null while the page has no such state, or none that can be read. */
export function readStore(): StoreView | null {
  const state = stateOf()
  if (!state) return null
  const participants = part(state, 'base/participants')
  const conference = part(state, 'base/conference')
  const lobby = part(state, 'lobby')
  const media = part(state, 'base/media')
  const local = record(participants.local)
  return {
    isJoined: isJoined(conference),
    selfId: text(local.id, MAX_ID),
    people: entriesOf(participants.remote, MAX_PEOPLE).flatMap(personOf),
    tracks: entriesOf(state['features/base/tracks'], MAX_TRACKS).flatMap(trackOf),
    dominantId: text(participants.dominantSpeaker, MAX_ID),
    failure:
      text(record(conference.error).name, MAX_ID) ?? text(record(part(state, 'base/connection').error).name, MAX_ID),
    waitsForModerator: Boolean(conference.authRequired) || conference.lobbyWaitingForHost === true,
    isLobbyShown: lobby.lobbyVisible === true,
    isKnocking: lobby.knocking === true,
    microphone: deviceOf(media.audio),
    camera: deviceOf(media.video),
    isChatOpen: part(state, 'chat').isOpen === true,
    areRoomsOpen: areRoomsOpen(state, conference),
  }
}

/** Messages of people, without those of the lobby and of the page itself. */
export function readMessages(): StoreMessage[] {
  return chatEntries().flatMap(messageOf)
}

/**
 * Reads possible news: the newest messages, which can have changed, and each older one that was not read before. In a
 * flood more messages come between two polls than are read again at each poll.
 */
export function createMessageReader(): () => StoreMessage[] {
  const known = new WeakSet<Foreign>()
  return () => {
    const all = chatEntries(Number.POSITIVE_INFINITY)
    const news = all.filter((entry, place) => place >= all.length - MAX_MESSAGES || !known.has(entry))
    for (const entry of news) known.add(entry)
    return news.flatMap(messageOf)
  }
}

/** Emoji that a participant sent to all for a moment. */
export function readReactions(): StoreReaction[] {
  return chatEntries().flatMap(reactionOf)
}

function chatEntries(most = MAX_MESSAGES): Foreign[] {
  const state = stateOf()
  return state ? entriesOf(part(state, 'chat').messages, most) : []
}

function stateOf(): Foreign | null {
  try {
    const app = (globalThis as { APP?: { store?: { getState?(): unknown } } }).APP
    const state = app?.store?.getState?.()
    return typeof state === 'object' && state !== null ? (state as Foreign) : null
  } catch {
    // A page that is being closed.
    return null
  }
}

function isJoined(conference: Foreign): boolean {
  if (!conference.conference) return false
  try {
    const app = (globalThis as { APP?: { conference?: { isJoined?(): unknown } } }).APP
    const answer = app?.conference?.isJoined?.()
    // Without that function the state's own conference has to do: it is set at the moment of joining.
    return answer === undefined ? true : answer === true
  } catch {
    return false
  }
}

/** The main room is one of them while there are breakout rooms. */
function areRoomsOpen(state: Foreign, { conference }: Foreign): boolean {
  const own = text(call(conference, 'getName'), MAX_NAME)
  const rooms = entriesOf(part(state, 'breakout-rooms').rooms, MAX_ROOMS)
  return own !== null && rooms.some(({ id, participants }) => id !== own && entriesOf(participants, 1).length > 0)
}

function part(state: Foreign, name: string): Foreign {
  return record(state[`features/${name}`])
}

function record(value: unknown): Foreign {
  return typeof value === 'object' && value !== null ? (value as Foreign) : {}
}

/** Entries of a Map, an array or a plain object, whichever this version has. */
function entriesOf(value: unknown, most: number): Foreign[] {
  const all = value instanceof Map ? [...value.values()] : Array.isArray(value) ? value : Object.values(record(value))
  return all.slice(-most).filter((entry): entry is Foreign => typeof entry === 'object' && entry !== null)
}

function text(value: unknown, longest: number): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, longest) : null
}

function personOf({ id, name, role, fakeParticipant, local, raisedHandTimestamp }: Foreign): StorePerson[] {
  const known = text(id, MAX_ID)
  // Shared screens, videos and boards are separate participants of another kind.
  if (known === null || fakeParticipant || local === true) return []
  const isHandRaised = typeof raisedHandTimestamp === 'number' && raisedHandTimestamp > 0
  return [{ id: known, name: text(name, MAX_NAME)?.trim() || 'Unknown', isHost: role === 'moderator', isHandRaised }]
}

function trackOf({ participantId, mediaType, videoType, muted, local, jitsiTrack }: Foreign): StoreTrack[] {
  const ownerId = text(participantId, MAX_ID)
  if (local === true || ownerId === null) return []
  const isScreen = mediaType === 'screenshare' || (mediaType === 'video' && videoType === 'desktop')
  const kind = isScreen ? 'screen' : mediaType === 'audio' ? 'audio' : mediaType === 'video' ? 'video' : null
  if (kind === null) return []
  const track = call(jitsiTrack, 'getTrack')
  const stream = call(jitsiTrack, 'getOriginalStream')
  return [
    {
      ownerId,
      kind,
      isMuted: muted === true,
      track: track instanceof MediaStreamTrack ? track : null,
      stream: stream instanceof MediaStream ? stream : null,
    },
  ]
}

function messageOf(entry: Foreign): StoreMessage[] {
  const said = text(entry.message, MAX_TEXT)
  const file = fileOf(record(entry.fileMetadata))
  const isOwn = entry.messageType === 'local'
  const isOther = entry.lobbyChat === true || entry.isReaction === true || (!isOwn && entry.messageType !== 'remote')
  const id = text(entry.messageId, MAX_ID)
  if (id === null || isOther || (said === null && file === null)) return []
  const replyTo = text(entry.replyToMessageId, MAX_ID)
  return [
    {
      ...senderOf(entry),
      ...plainContent(said ?? ''),
      id,
      isOwn,
      reactions: reactionsOn(entry.reactions),
      ...(file && { files: [file] }),
      ...(replyTo && { replyTo }),
      ...(entry.isEdited === true && { isEdited: true }),
      ...(entry.privateMessage === true && { isDirect: true }),
    },
  ]
}

/**
 * The page's names of its reactions; one message may have several
 * (docs/platform-notes/jitsi.md#reactions-and-raised-hands).
 */
const REACTIONS: Readonly<Record<string, string>> = {
  ':thumbs_up:': '👍',
  ':clap:': '👏',
  ':grinning_face:': '😀',
  ':face_with_open_mouth:': '😮',
  ':slightly_frowning_face:': '🙁',
  ':face_without_mouth:': '😶',
  ':heart:': '💖',
}

function reactionOf(entry: Foreign): StoreReaction[] {
  if (entry.isReaction !== true || entry.messageType !== 'remote') return []
  const words = (text(entry.message, MAX_NAME) ?? '').match(/:\w+:/g) ?? []
  const emojis = words.flatMap((word) => REACTIONS[word] ?? [])
  const { senderId, senderName, at } = senderOf(entry)
  // In some versions the page gives these no id.
  const id = text(entry.messageId, MAX_ID) ?? `${senderId} ${at}`
  return emojis.length > 0 ? [{ id, senderId, senderName, emojis, at }] : []
}

function senderOf({ participantId, displayName, timestamp }: Foreign) {
  return {
    senderId: text(participantId, MAX_ID),
    senderName: text(displayName, MAX_NAME)?.trim() || 'Unknown',
    at: typeof timestamp === 'number' && Number.isFinite(timestamp) ? timestamp : pageNow(),
  }
}

/** Emoji with the ids of the people who chose it. */
function reactionsOn(value: unknown): ChatReaction[] {
  const all = value instanceof Map ? [...value] : Object.entries(record(value))
  return all.slice(0, MAX_REACTIONS).flatMap(([emoji, people]) => {
    const chosen = people instanceof Set || Array.isArray(people) ? [...people] : []
    const participantIds = chosen.slice(0, MAX_PEOPLE).flatMap((id) => text(id, MAX_ID) ?? [])
    const shown = text(emoji, MAX_ID)
    return shown !== null && participantIds.length > 0
      ? [{ emoji: shown, count: participantIds.length, participantIds }]
      : []
  })
}

/** Files are stored on the meeting's own server; only participants may fetch them. */
function fileOf({ fileName, fileSize }: Foreign): ChatFile | null {
  const name = text(fileName, MAX_NAME)
  const isSize = typeof fileSize === 'number' && Number.isSafeInteger(fileSize) && fileSize >= 0
  return name === null ? null : { name, url: null, bytes: isSize ? fileSize : null }
}

function deviceOf(value: unknown): 'on' | 'off' | null {
  const { muted } = record(value)
  // Newer versions keep a number of reasons for being muted; none of them is 0.
  if (typeof muted === 'boolean') return muted ? 'off' : 'on'
  return typeof muted === 'number' ? (muted === 0 ? 'on' : 'off') : null
}

function call(target: unknown, method: string): unknown {
  try {
    const found = record(target)[method]
    return typeof found === 'function' ? found.call(target) : null
  } catch {
    return null
  }
}
