/**
 * Reads the client's own object of the running call, if it is accessible
 * (docs/platform-notes/microsoft-teams.md#captions and #who-is-in-the-mix).
 */
import { type Json, listOf, objectOf, textOf } from './json.ts'
import { type PersonRecord, streamsIn } from './signalling.ts'

export interface CallView {
  callId: string | null
  selfMri: string | null
  people: PersonRecord[]
  /** The client's own knowledge of the owner of this contributing source. */
  ownerOfSource(source: number): string | null
}

interface ClientWindow {
  callingDebug?: { observableCall?: unknown }
  msteamscalling?: { deref?(): unknown }
}

/** Null if the client exposes no call. The object belongs to the page, so it may contain anything. */
export function readCall(): CallView | null {
  try {
    const call = callOf(globalThis as ClientWindow)
    if (!call) return null
    const participants = listOf(iterated(call.participants))
      .map(objectOf)
      .filter((person) => person !== null)
    return {
      callId: textOf(call._callId),
      selfMri: textOf(call.callerMri),
      people: participants.flatMap(personOf),
      ownerOfSource(source) {
        const owner = participants.find((person) => hasSource(person, source))
        return textOf(owner?.id)
      },
    }
  } catch {
    // An object of an unknown build.
    return null
  }
}

/** False if the client offers no function for it. */
export function startCaptions(): boolean {
  try {
    const call = callOf(globalThis as ClientWindow)
    if (typeof call?.startClosedCaption !== 'function') return false
    const started: unknown = call.startClosedCaption()
    if (started instanceof Promise) started.catch(() => {})
    return true
  } catch {
    return false
  }
}

function callOf(client: ClientWindow): Json | null {
  const observed = objectOf(client.callingDebug?.observableCall)
  if (observed) return observed
  const service = objectOf(objectOf(client.msteamscalling?.deref?.())?.callingService)
  return typeof service?.getActiveCall === 'function' ? objectOf(service.getActiveCall()) : null
}

function iterated(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  if (value instanceof Map) return [...value.values()]
  return value instanceof Set ? [...value] : []
}

function personOf(person: Json): PersonRecord[] {
  const mri = textOf(person.id)
  if (mri === null) return []
  const role = textOf(person.meetingRole)
  return [
    {
      mri,
      name: textOf(person.displayName),
      isIn: true,
      isHost: role === null ? null : role === 'organizer',
      streams: streamsOf(person),
    },
  ]
}

function streamsOf(person: Json): PersonRecord['streams'] {
  const details = listOf(objectOf(person.endpoints)?.endpointDetails, 50)
  return details.length === 0 ? null : details.flatMap((endpoint) => streamsIn(objectOf(endpoint)?.mediaStreams))
}

function hasSource(person: Json, source: number): boolean {
  try {
    return typeof person.hasAudioSource === 'function' && person.hasAudioSource(source) === true
  } catch {
    return false
  }
}
