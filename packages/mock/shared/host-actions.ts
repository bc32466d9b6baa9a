/** Validates and runs the actions of the host's page. */
import { z } from 'zod'
import type { Meeting } from './meeting.ts'
import type { HostAction, PersonDeed } from './page/host-protocol.ts'
import type { PlatformServer } from './platform-server.ts'
import { type Sentence, speak } from './sentences.ts'

const platform = z.string().max(40)
const code = z.string().max(200)
const id = z.string().max(100)
const MAX_CHARACTERS = 500
const meeting = { platform, code }

export const hostActionSchema: z.ZodType<HostAction> = z.union([
  z.strictObject({
    act: z.literal('open'),
    platform,
    scenario: z.string().max(60),
    speed: z.number().min(0.1).max(100),
  }),
  z.strictObject({ act: z.enum(['admit', 'deny', 'remove', 'end', 'mute', 'lose', 'regain']), ...meeting }),
  z.strictObject({ act: z.literal('add'), ...meeting, name: z.string().trim().min(1).max(60), camera: z.boolean() }),
  z.strictObject({
    act: z.literal('person'),
    ...meeting,
    id,
    what: z.enum(['speak', 'camera', 'share', 'hand', 'react', 'leave']),
  }),
  z.strictObject({ act: z.literal('message'), ...meeting, what: z.enum(['edit', 'delete']) }),
  z.strictObject({ act: z.literal('say'), ...meeting, id, text: z.string().trim().min(1).max(MAX_CHARACTERS) }),
  z.strictObject({ act: z.literal('chat'), ...meeting, enabled: z.boolean() }),
  z.strictObject({ act: z.literal('show'), ...meeting, what: z.string().max(40) }),
  z.strictObject({ act: z.literal('access'), ...meeting, access: z.string().max(40) }),
  z.strictObject({ act: z.literal('flash'), ...meeting, on: z.boolean() }),
])

/** Runs the action and returns a description. Throws if the action does not fit the state. */
export function doAction(servers: readonly PlatformServer[], action: HostAction): string {
  const server = servers.find((mock) => mock.platform.name === action.platform)
  if (!server) throw new Error(`There is no platform ${action.platform}`)
  if (action.act === 'open') return server.open(action.scenario, { speed: action.speed }).url
  const meeting = server.meetings.get(action.code)
  if (!meeting) throw new Error(`There is no meeting ${action.code}`)
  if (action.act === 'admit') meeting.admit()
  else if (action.act === 'deny') meeting.deny()
  else if (action.act === 'remove') meeting.remove()
  else if (action.act === 'end') meeting.endForAll()
  else if (action.act === 'mute') meeting.muteBot()
  else if (action.act === 'lose') meeting.loseConnection()
  else if (action.act === 'regain') meeting.regainConnection()
  else if (action.act === 'add') meeting.addPerson({ id: newId(meeting), name: action.name, camera: action.camera })
  else if (action.act === 'person') changePerson(meeting, action.id, action.what)
  else if (action.act === 'message') changeLastMessage(meeting, action.what)
  else if (action.act === 'say') meeting.say(action.id, action.text)
  else if (action.act === 'chat') meeting.setChatEnabled(action.enabled)
  else if (action.act === 'show') meeting.show(action.what)
  else if (action.act === 'access') meeting.setAccess(action.access)
  else if (action.act === 'flash') meeting.flashAndBeep(action.on)
  return action.act
}

function changePerson(meeting: Meeting, id: string, what: PersonDeed): void {
  const person = meeting.personView(id)
  if (what === 'leave') meeting.removePerson(id)
  else if (what === 'hand') meeting.raiseHand(id, !person.isHandRaised)
  else if (what === 'react') meeting.react(id, '👏')
  else if (what === 'camera') meeting.setCamera(id, person.camera !== true)
  else if (what === 'speak') person.isSpeaking ? meeting.stopSpeaking(id) : speakNext(meeting, id)
  else if (person.isSharing) meeting.stopSharing(id)
  else meeting.startSharing(id)
}

/** One sentence after the other, each by the person who was asked to speak. */
const SENTENCES: readonly Sentence[] = ['ann-welcome', 'bob-numbers', 'cleo-plan', 'bob-picture', 'ann-end']
const spoken = new WeakMap<Meeting, number>()

function speakNext(meeting: Meeting, id: string): void {
  const number = spoken.get(meeting) ?? 0
  spoken.set(meeting, number + 1)
  // Without the stored sentences a tone is better than silence.
  speak(meeting, id, SENTENCES[number % SENTENCES.length]!).catch(() => meeting.startSpeaking(id))
}

function changeLastMessage(meeting: Meeting, what: 'edit' | 'delete'): void {
  const last = meeting.lastMessage
  if (!last) throw new Error('There is no chat message to change')
  if (what === 'delete') meeting.deleteMessage(last.id)
  else meeting.editMessage(last.id, `${last.text} (and more)`)
}

function newId(meeting: Meeting): string {
  let number = meeting.people.length + 1
  while (meeting.people.some(({ id }) => id === `guest-${number}`)) number++
  return `guest-${number}`
}
