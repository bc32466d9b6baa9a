/**
 * The object that the real client exposes to scripts: the call with its participants
 * (docs/platform-notes/microsoft-teams.md#captions and #who-is-in-the-mix).
 */
import type { Captions } from './captions.ts'
import type { PagePerson, PageSettings } from './protocol.ts'

interface CallParticipant {
  id: string
  displayName: string
  meetingRole: string
  isServerMuted: boolean
  endpoints: { endpointDetails: { endpointId: string; mediaStreams: MediaStreamEntry[] }[] }
  hasAudioSource(source: number): boolean
}

interface MediaStreamEntry {
  type: 'audio' | 'video' | 'applicationsharing-video'
  sourceId: number
  direction: 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive'
}

interface CallObject {
  callerMri: string
  _callId: string
  participants: CallParticipant[]
  startClosedCaption(): void
  setClosedCaptionsLanguage(code: string): void
  getClosedCaptionsLanguage(): string
}

export interface PublishedCall {
  show(people: PagePerson[]): void
  withdraw(): void
}

/** Exposes the call where the platform's own scripts have it. Removes it when the call is over. */
export function publishCall(
  settings: PageSettings,
  call: { self: string; callId: string },
  captions: Captions,
): PublishedCall {
  const observable: CallObject = {
    callerMri: call.self,
    _callId: call.callId,
    participants: [],
    startClosedCaption: () => captions.setOn(true),
    setClosedCaptionsLanguage: (code) => captions.setLanguage(String(code).slice(0, 20)),
    getClosedCaptionsLanguage: () => captions.language,
  }
  const globals = window as unknown as Record<string, unknown>
  if (settings.callObject) globals.callingDebug = { observableCall: observable }
  if (settings.callObject && settings.skin === 'full') {
    globals.msteamscalling = { deref: () => ({ callingService: { getActiveCall: () => observable } }) }
  }
  return {
    show(people) {
      observable.participants = people.map(participantOf)
    },
    withdraw() {
      delete globals.callingDebug
      delete globals.msteamscalling
    },
  }
}

function participantOf(person: PagePerson): CallParticipant {
  const { mri, name, role, muted, audioSource } = person
  return {
    id: mri,
    displayName: name,
    meetingRole: role,
    isServerMuted: muted,
    endpoints: { endpointDetails: [{ endpointId: `${mri}/0`, mediaStreams: streamsOf(person) }] },
    hasAudioSource: (source) => source === audioSource,
  }
}

function streamsOf({ muted, camera, sharing, audioSource, videoSource, shareSource }: PagePerson): MediaStreamEntry[] {
  return [
    { type: 'audio', sourceId: audioSource, direction: muted ? 'recvonly' : 'sendrecv' },
    { type: 'video', sourceId: videoSource, direction: camera ? 'sendrecv' : 'recvonly' },
    { type: 'applicationsharing-video', sourceId: shareSource, direction: sharing ? 'sendonly' : 'inactive' },
  ]
}
