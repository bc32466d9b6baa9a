/** The state of the page, which a global exposes to all scripts (docs/platform-notes/jitsi.md#state-of-the-page). */
import type { Devices } from '../../shared/page/devices.ts'
import type { Media } from './media.ts'
import type { ChatLine, PagePerson, PageSettings } from './protocol.ts'

export class State {
  people: PagePerson[] = []
  lines: ChatLine[] = []
  isJoined = false
  /** Whether the conference was asked to answer. */
  isJoining = false
  failure: string | null = null
  isPrejoinShown = false
  lobby: { isShown: boolean; isKnocking: boolean; waitsForHost: boolean } = {
    isShown: false,
    isKnocking: false,
    waitsForHost: false,
  }
  isChatOpen = false
  /** The last speaker. Stays the same in silence. */
  dominant: string | null = null
  botName = ''
  /** Names of people in a breakout room. */
  elsewhere: string[] = []

  /** The page's remote participants, without shared screens. */
  personOf(endpoint: string): PagePerson | undefined {
    return this.people.find((person) => person.endpoint === endpoint)
  }
}

/** Puts the globals of the page in place. `getState` answers with what is so at that moment. */
export function expose(state: State, settings: PageSettings, devices: Devices, media: Media): void {
  const store = { getState: () => slices(state, settings, devices, media) }
  const conference = {
    isJoined: () => state.isJoined,
    getMyUserId: () => (state.isJoined ? settings.self : undefined),
  }
  Object.assign(window, {
    APP: { store, conference },
    config: { hosts: { domain: location.host } },
    interfaceConfig: {},
  })
}

function slices(state: State, settings: PageSettings, devices: Devices, media: Media): Record<string, unknown> {
  const { self, isModerator, room } = settings
  const { lobby, failure } = state
  const conference = state.isJoined ? { room, getName: () => room } : undefined
  return {
    'features/base/conference': {
      conference,
      joining: state.isJoining ? { room } : undefined,
      room,
      error: failure === null ? undefined : { name: failure },
      authRequired: failure === 'conference.authenticationRequired' ? { room } : undefined,
      membersOnly: lobby.isShown ? { room } : undefined,
      lobbyWaitingForHost: lobby.waitsForHost,
    },
    'features/base/connection': { error: undefined },
    'features/base/participants': {
      local: {
        id: state.isJoined ? self : 'local',
        name: state.botName,
        role: isModerator ? 'moderator' : 'participant',
        local: true,
      },
      remote: new Map(state.people.flatMap(participantsOf).map((participant) => [participant.id, participant])),
      dominantSpeaker: state.dominant ?? undefined,
    },
    'features/base/tracks': tracksOf(state, media, self),
    'features/base/media': {
      audio: { muted: !devices.isOn('microphone') },
      // Reasons for being muted are counted in bits.
      video: { muted: devices.isOn('camera') ? 0 : 4 },
    },
    'features/lobby': { lobbyVisible: lobby.isShown, knocking: lobby.isKnocking },
    'features/breakout-rooms': { rooms: state.elsewhere.length === 0 ? {} : roomsOf(state, room) },
    'features/prejoin': { showPrejoin: state.isPrejoinShown, joiningInProgress: state.isJoining },
    'features/chat': { isOpen: state.isChatOpen, messages: state.lines.map((line) => messageOf(line, self, state)) },
  }
}

/** The main room and one breakout room, each with its people. */
function roomsOf({ botName, people, elsewhere }: State, room: string): Record<string, unknown> {
  const jid = (id: string) => `${id}@conference.example`
  const one = (id: string, isMainRoom: boolean, names: string[]) => ({
    ...{ id, isMainRoom, jid: jid(id), name: isMainRoom ? undefined : 'Room 1' },
    participants: Object.fromEntries(names.map((name) => [`${jid(id)}/${name}`, { displayName: name, role: 'none' }])),
  })
  const main = one(room, true, [botName, ...people.map(({ name }) => name)])
  return { [jid(room)]: main, [jid('room-1')]: one('room-1', false, elsewhere) }
}

interface Participant {
  id: string
  name: string | undefined
  role: string
  fakeParticipant?: string
  raisedHandTimestamp?: number
}

/** A shared screen is a separate participant. */
function participantsOf({ endpoint, name, isModerator, isSharing, handRaisedAt }: PagePerson): Participant[] {
  const person = {
    id: endpoint,
    name: name || undefined,
    role: isModerator ? 'moderator' : 'participant',
    raisedHandTimestamp: handRaisedAt,
  }
  const screen = { id: `${endpoint}-v1`, name: name || undefined, role: 'none', fakeParticipant: 'RemoteScreenShare' }
  return isSharing ? [person, screen] : [person]
}

function tracksOf({ people }: State, media: Media, self: string): unknown[] {
  const sounds = media.sounds.map(({ endpoint, track, stream }) => ({
    ...common(endpoint, 'a0', track, stream),
    mediaType: 'audio',
    muted: people.find((person) => person.endpoint === endpoint)?.muted ?? false,
  }))
  const pictures = people.flatMap(({ endpoint, camera, isSharing }) =>
    (['v0', 'v1'] as const).flatMap((source) => {
      const track = media.pictureOf(`${endpoint}-${source}`)
      if (!track) return []
      const isScreen = source === 'v1'
      return {
        ...common(endpoint, source, track, media.streamOf(track)),
        mediaType: isScreen ? 'screenshare' : 'video',
        videoType: isScreen ? 'desktop' : 'camera',
        muted: isScreen ? !isSharing : !camera,
      }
    }),
  )
  const own = [media.screen.track].flatMap((track) => {
    if (track === null) return []
    return { ...common(self, 'v1', track, media.streamOf(track)), local: true, mediaType: 'screenshare', muted: false }
  })
  return [...sounds, ...pictures, ...own]
}

function common(endpoint: string, source: string, track: MediaStreamTrack, stream: MediaStream) {
  const jitsiTrack = {
    getTrack: () => track,
    getOriginalStream: () => stream,
    getId: () => stream.id,
    getSourceName: () => `${endpoint}-${source}`,
    getParticipantId: () => endpoint,
  }
  return { jitsiTrack, local: false, participantId: endpoint }
}

function messageOf(line: ChatLine, self: string, { botName }: State) {
  const { id, endpoint, name, text, at, file, replyTo, reactions = [] } = line
  return {
    messageId: id,
    messageType: endpoint === null ? 'local' : 'remote',
    participantId: endpoint ?? self,
    displayName: endpoint === null ? botName : name,
    message: text,
    timestamp: at,
    privateMessage: line.isDirect === true,
    lobbyChat: false,
    isReaction: line.isReaction === true,
    isEdited: line.isEdited === true,
    reactions: new Map(reactions.map(({ emoji, endpoints }) => [emoji, new Set(endpoints)])),
    replyToMessageId: replyTo,
    fileMetadata: file && { fileId: id, fileName: file.name, fileSize: file.bytes },
  }
}
