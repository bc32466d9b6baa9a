/**
 * Reads the state that the page keeps in a global of its own (docs/jitsi-facts.md 2). Whatever another version of the page does
 * not have is missing in the answer; nothing of it is trusted to be there, to be short or to be what its name says.
 */

export interface StorePerson {
  id: string
  name: string
  isHost: boolean
}

export interface StoreTrack {
  /** The participant's, of a shared screen too. */
  ownerId: string
  kind: 'audio' | 'video' | 'screen'
  isMuted: boolean
  track: MediaStreamTrack | null
  stream: MediaStream | null
}

export interface StoreMessage {
  id: string
  senderId: string | null
  senderName: string
  text: string
  at: number
  isOwn: boolean
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
}

const MOST_PEOPLE = 1000
const MOST_TRACKS = 3000
const MOST_MESSAGES = 500
const LONGEST_NAME = 256
const LONGEST_TEXT = 10_000
const LONGEST_ID = 128

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
    selfId: text(local.id, LONGEST_ID),
    people: entriesOf(participants.remote, MOST_PEOPLE).flatMap(personOf),
    tracks: entriesOf(state['features/base/tracks'], MOST_TRACKS).flatMap(trackOf),
    dominantId: text(participants.dominantSpeaker, LONGEST_ID),
    failure:
      text(record(conference.error).name, LONGEST_ID) ??
      text(record(part(state, 'base/connection').error).name, LONGEST_ID),
    waitsForModerator: Boolean(conference.authRequired) || conference.lobbyWaitingForHost === true,
    isLobbyShown: lobby.lobbyVisible === true,
    isKnocking: lobby.knocking === true,
    microphone: deviceOf(media.audio),
    camera: deviceOf(media.video),
    isChatOpen: part(state, 'chat').isOpen === true,
  }
}

/** The meeting's own chat: no private words, no lobby's, nothing that the page itself says. */
export function readMessages(): StoreMessage[] {
  const state = stateOf()
  return state ? entriesOf(part(state, 'chat').messages, MOST_MESSAGES).flatMap(messageOf) : []
}

function stateOf(): Foreign | null {
  try {
    const app = (globalThis as { APP?: { store?: { getState?(): unknown } } }).APP
    const state = app?.store?.getState?.()
    return typeof state === 'object' && state !== null ? (state as Foreign) : null
  } catch {
    // A page that is being torn down.
    return null
  }
}

function isJoined(conference: Foreign): boolean {
  if (!conference.conference) return false
  try {
    const app = (globalThis as { APP?: { conference?: { isJoined?(): unknown } } }).APP
    const answer = app?.conference?.isJoined?.()
    // Without that call the state's own conference has to do: it is set at the moment of joining.
    return answer === undefined ? true : answer === true
  } catch {
    return false
  }
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

function personOf({ id, name, role, fakeParticipant, local }: Foreign): StorePerson[] {
  const known = text(id, LONGEST_ID)
  // Shared screens, videos and boards are participants of their own kind.
  if (known === null || fakeParticipant || local === true) return []
  return [{ id: known, name: text(name, LONGEST_NAME)?.trim() || 'Unknown', isHost: role === 'moderator' }]
}

function trackOf({ participantId, mediaType, videoType, muted, local, jitsiTrack }: Foreign): StoreTrack[] {
  const ownerId = text(participantId, LONGEST_ID)
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
  const { messageId, messageType, participantId, displayName, message, timestamp } = entry
  const id = text(messageId, LONGEST_ID)
  const said = text(message, LONGEST_TEXT)
  const isOwn = messageType === 'local'
  const isPrivate = entry.privateMessage === true || entry.lobbyChat === true || entry.isReaction === true
  if (id === null || said === null || isPrivate || (!isOwn && messageType !== 'remote')) return []
  return [
    {
      id,
      senderId: text(participantId, LONGEST_ID),
      senderName: text(displayName, LONGEST_NAME)?.trim() || 'Unknown',
      text: said,
      at: typeof timestamp === 'number' && Number.isFinite(timestamp) ? timestamp : Date.now(),
      isOwn,
    },
  ]
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
