/**
 * Messages that the platform pushes: frames of the socket, messages of the main channel, the roster's snapshot
 * (docs/platform-notes/microsoft-teams.md#roster-messages).
 */
import { randomBytes } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import type { PagePerson } from './page/protocol.ts'
import { plainName } from './people.ts'

/** Ticks of 100 ns since 1900 that lie before 1970, in milliseconds. */
const TICKS_EPOCH_MS = 2_208_988_800_000
const PREFIX_BYTES = 8
/** Share of messages whose prefix holds a byte that looks like the beginning of JSON. */
const BRACKET_SHARE = 0.1

/** Codes of the end of a conversation, as far as they are known. */
export const SUB_CODES = { denied: 5854, removed: 5000, removedAlt: 5300, ended: 0 } as const

interface Push {
  /** End of the address that the frame names. */
  path: 'rosterUpdate/' | 'conversation/conversationEnd/'
  callId: string
  body: unknown
  /** Deflated and base64, or plain: the platform does both. */
  isPacked: boolean
}

/** A frame of the push socket. */
export function pushFrame({ path, callId, body, isPacked }: Push): string {
  const text = JSON.stringify(body)
  const message = {
    id: randomBytes(4).readUInt32BE(),
    method: 'POST',
    url: `/v4/f/${randomBytes(6).toString('base64url')}/callAgent/${path}`,
    headers: { 'X-Microsoft-Skype-Chain-ID': callId, 'Content-Type': 'application/json' },
    body: isPacked ? deflateSync(text).toString('base64') : text,
  }
  return `3:::${JSON.stringify(message)}`
}

/** The roster's entries of these people, who are there or have just left. */
export function rosterBody(people: readonly PagePerson[], state: 'active' | 'inactive') {
  return { participants: Object.fromEntries(people.map((person) => [person.mri, entryOf(person, state)])) }
}

function entryOf(person: PagePerson, state: 'active' | 'inactive') {
  const { mri, name, role, muted, camera, sharing, audioSource, videoSource, shareSource } = person
  if (state === 'inactive') return { state, details: { id: mri, displayName: plainName(name) } }
  const mediaStreams = [
    { type: 'audio', sourceId: audioSource, direction: muted ? 'recvonly' : 'sendrecv' },
    { type: 'video', sourceId: videoSource, direction: camera ? 'sendrecv' : 'recvonly' },
    { type: 'applicationsharing-video', sourceId: shareSource, direction: sharing ? 'sendonly' : 'inactive' },
  ]
  return {
    state,
    meetingRole: role,
    details: { id: mri, displayName: plainName(name) },
    endpoints: { [`${mri}/0`]: { call: { mediaStreams } } },
  }
}

/** A service in the roster: no name, and no person. */
export const SERVICE_ENTRY = {
  '28:bdd75849-e0a6-4cce-8fc1-d7c0d4da43e5': {
    state: 'active',
    meetingRole: 'attendee',
    details: { id: '28:bdd75849-e0a6-4cce-8fc1-d7c0d4da43e5' },
    endpoints: {},
  },
}

/** Why a conversation ended. A sender is the person who ended it. */
export function endBody(subCode: number, phrase: string, sender: { mri: string; name: string } | null) {
  return { subCode, phrase, sender: sender && { id: sender.mri, displayName: plainName(sender.name) } }
}

/** A message of the main channel: some bytes first, then JSON. */
export function channelMessage(body: unknown): Uint8Array {
  const prefix = randomBytes(PREFIX_BYTES)
  // Neither kind of bracket by chance, so that exactly the intended share has one.
  for (let index = 0; index < prefix.length; index++) {
    if (prefix[index] === 0x5b || prefix[index] === 0x7b) prefix[index] = 0x01
  }
  if (Math.random() < BRACKET_SHARE) prefix[3] = 0x5b
  return Buffer.concat([prefix, Buffer.from(JSON.stringify(body))])
}

/** The page's own message without its first bytes; null if nothing in it is JSON. */
export function readChannelMessage(bytes: Uint8Array): unknown {
  const text = Buffer.from(bytes.subarray(PREFIX_BYTES)).toString()
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Who spoke last, the newest first. */
export function dominantSpeakers(history: readonly number[]) {
  return [{ type: 'dsh', history }]
}

export function recognition(caption: { mri: string; text: string; startedAt: number; isFinal: boolean }) {
  const { mri, text, startedAt, isFinal } = caption
  const ticks = (ms: number) => Math.round(ms) * 10_000
  return {
    recognitionResults: [
      {
        userId: mri,
        text,
        timestampAudioSent: ticks(startedAt + TICKS_EPOCH_MS),
        duration: ticks(Date.now() - startedAt),
        isFinal,
      },
    ],
  }
}

/** The stream's number of each line, which requests for pictures name; browsers pass over the line. */
export function withStreamNumbers(sdp: string): string {
  return sdp
    .split(/(?=^m=)/m)
    .map((section) => {
      const mid = /^a=mid:(\d+)/m.exec(section)?.[1]
      const isMedia = /^m=(audio|video) /.test(section)
      return mid !== undefined && isMedia ? `${section}a=x-source-streamid:${1000 + Number(mid)}\r\n` : section
    })
    .join('')
}
