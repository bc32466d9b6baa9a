/**
 * One stay of the stub in a meeting: the server's messages become the SDK's events, and the DOM is that of the web
 * client.
 */
import { Connection } from '../../../shared/page/connection.ts'
import { Devices } from '../../../shared/page/devices.ts'
import { watchInput } from '../../../shared/page/input-watch.ts'
import { obey } from '../../../shared/page/obey.ts'
import { openLink } from '../../../shared/page/server-link.ts'
import type { ChatLine, PagePerson } from '../../page/protocol.ts'
import { MeetingSound } from '../../page/sound.ts'
import { createMeetingUi } from '../../page/ui.ts'
import type { SdkEvents } from './events.ts'
import type { FromSdkPage, JoinAnswer, ToSdkPage } from './protocol.ts'
import type { RecordingView } from './recording.ts'

interface SdkAttendee {
  userId: number
  self: boolean
  userName: string
  muted: boolean
  audio: string
  isHost: boolean
  isCoHost: boolean | ''
  isGuest: boolean
  isHold: boolean
  persistentID: string
  participantUUID: string
  customerKey: string
  video: boolean
  raiseHand: boolean
  sharingStatus: 'sharing' | 'stopped'
  isBotUser: boolean
  botBrandName: string
  botAuthorizerName: string
}

/** `authorizerName`: the user on whose behalf the bot joined; null if there is none. */
function attendeeOf(person: PagePerson, authorizerName: string | null): SdkAttendee {
  const isBot = person.isSelf && authorizerName !== null
  return {
    userId: person.node,
    self: person.isSelf,
    userName: person.name,
    muted: person.muted,
    audio: person.audio === 'none' ? '' : person.audio,
    isHost: person.role === 'host',
    isCoHost: person.role === 'cohost' ? true : '',
    isGuest: person.isGuest,
    isHold: false,
    persistentID: `p-${person.node}`,
    participantUUID: `u-${person.node}`,
    customerKey: '',
    video: person.camera,
    raiseHand: person.handRaised,
    sharingStatus: person.sharing ? 'sharing' : 'stopped',
    isBotUser: isBot,
    botBrandName: isBot ? 'Standin' : '',
    botAuthorizerName: isBot ? (authorizerName ?? '') : '',
  }
}

/** Compares two lists: who joined, who left, whose data changed. */
function changesBetween(before: readonly SdkAttendee[], after: readonly SdkAttendee[]) {
  const known = new Map(before.map((attendee) => [attendee.userId, attendee]))
  const now = new Set(after.map(({ userId }) => userId))
  return {
    joined: after.filter(({ userId, self }) => !self && !known.has(userId)),
    left: before.filter(({ userId, self }) => !self && !now.has(userId)),
    changed: after.filter((attendee) => {
      const was = known.get(attendee.userId)
      return was !== undefined && JSON.stringify(was) !== JSON.stringify(attendee)
    }),
  }
}

type Welcome = Extract<JoinAnswer, { is: 'welcome' }>

const AUDIO_RECEIVERS = 4
const VIDEO_RECEIVERS = 9
/** Times of the SDK (docs/platform-notes/zoom.md#join-sequence), in its own seconds. */
const SUCCESS_S = 2
const WAITING_ROOM_S = 1.5
const REDIRECT_S = 0.7
const SPEAKER_EVERY_S = 0.5

export interface SessionParts {
  welcome: Welcome
  root: HTMLElement
  events: SdkEvents
  /** `success` of `join`; it comes in the waiting room too. */
  onSuccess(): void
  leaveUrl(): string
}

export class SdkSession {
  canRecord = false
  isOnHold = false
  isIn = false
  private readonly parts: SessionParts
  private readonly say: (message: FromSdkPage) => void
  private readonly secondMs: number
  private people: PagePerson[] = []
  private reachedGateway = false
  private state = ''
  private hasLeft = false

  constructor(parts: SessionParts) {
    this.parts = parts
    const { welcome, root } = parts
    const { settings } = welcome
    this.secondMs = settings.secondMs
    const link = openLink<FromSdkPage, ToSdkPage>(welcome.socket)
    this.say = (message) => link.say(message)
    const devices = new Devices('ask')
    const sound = new MeetingSound(settings.playback, settings.workletPath)
    const audioReceivers = settings.playback === 'webrtc' ? AUDIO_RECEIVERS : 0
    const plan = { audioReceivers, videoReceivers: VIDEO_RECEIVERS, channels: [] }
    const connection = new Connection(plan, devices, this.say, sound.events)
    const ui = createMeetingUi({ root, settings, devices, pictures: connection, sound, say: this.say })
    watchInput({ seed: settings.seed, hydrationMs: [0, 0], swallow: {}, say: this.say })
    setInterval(() => this.fireSpeakers(), SPEAKER_EVERY_S * 1000)
    link.listen(
      (message) => {
        if (message.do === 'view' && message.view.name === 'meeting') {
          // Without the preview page the microphone is asked for here, and is on at first.
          if (!devices.exists('microphone')) void devices.acquire({ microphone: true, camera: false })
          connection.start()
          this.onPeople(message.view.people)
        } else if (message.do === 'people') this.onPeople(message.people)
        else if (message.do === 'speaking') this.onSpeaking(message.node, message.speaking)
        else if (message.do === 'chat') this.fireChat(message.line)
        else if (message.do === 'rooms') this.fire('onRoomStatusChange', { status: message.areOpen ? 2 : 4 })
        if (this.takeSdkWord(message)) return
        if (!ui.receive(message as Parameters<typeof ui.receive>[0])) obey(message, { connection, devices })
      },
      (samples) => sound.playSamples(samples),
    )
  }

  get attendees(): SdkAttendee[] {
    const listed = this.people.map((person) => attendeeOf(person, this.parts.welcome.authorizer))
    return [...listed.filter(({ self }) => self), ...listed.filter(({ self }) => !self)]
  }

  get recordingView(): RecordingView {
    const own = this.people.find(({ isSelf }) => isSelf)
    return {
      settings: this.parts.welcome.recording,
      canRecord: this.canRecord,
      isOwnHost: own?.role === 'host',
      hasHost: this.people.some(({ role, isSelf }) => role === 'host' && !isSelf),
    }
  }

  sendChat(text: string): void {
    this.say({ say: 'chat', text })
  }

  get isChatOn(): boolean {
    return this.parts.welcome.settings.chat === 'on' && this.chatAllowed
  }

  private chatAllowed = true

  askForRight(): void {
    this.say({ say: 'sdkRequest' })
  }

  capture(what: string, status: 0 | 1 | 2): void {
    this.say({ say: 'sdkCapture', what })
    const { self } = this.parts.welcome
    this.after(0.3, () => this.fire('onMediaCaptureStatusChange', { status, userId: self }))
  }

  /** The SDK's own call. The SDK reports its reason at once. */
  leave(): void {
    const isWaiting = this.state === 'lobby' || this.isOnHold
    this.fireLeft(isWaiting ? 3 : 2, 'You are leave meeting by leaveMeeting(api)')
    this.say({ say: 'leave', how: 'leave' })
  }

  private takeSdkWord(message: ToSdkPage): boolean {
    if (message.do === 'sdkState') this.entered(message.state)
    else if (message.do === 'sdkPermission') {
      this.canRecord = message.allow
      this.fire('onMediaCapturePermissionChange', { allow: message.allow })
    } else if (message.do === 'sdkStatus') {
      const { errorCode, errorMessage } = message
      this.fire('onMeetingStatus', { meetingStatus: 3, errorCode, errorMessage })
    } else if (message.do === 'sdkLeave') {
      this.fireLeft(message.reasonCode, message.reason)
      this.after(REDIRECT_S, () => location.assign(this.parts.leaveUrl()))
    } else if (message.do === 'chatPolicy') {
      this.chatAllowed = message.chat === 'on'
      return false
    } else return false
    return true
  }

  private entered(state: string): void {
    const before = this.state
    this.state = state
    if (state === 'waitingForHost') this.speed(4)
    else if (before === 'waitingForHost') this.speed(5)
    if (state === 'lobby') {
      this.reachGateway()
      this.speed(6)
      this.fireWaitingRoom(true)
    } else if (before === 'lobby') {
      this.speed(7)
      this.fireWaitingRoom(false)
    }
    if (state === 'onHold') {
      this.isOnHold = true
      this.fireWaitingRoom(true)
    } else if (before === 'onHold') {
      this.isOnHold = false
      this.fireWaitingRoom(false)
    }
    if (state === 'call' && !this.isIn) {
      this.isIn = true
      this.reachGateway()
      for (const level of [9, 10, 11, 12, 13]) this.speed(level)
      this.after(0.5, () => this.speed(14))
    }
    if (state === 'reconnecting') this.fire('onMeetingStatus', { meetingStatus: 4 })
    if (state === 'call' && before === 'reconnecting') this.fire('onMeetingStatus', { meetingStatus: 2 })
    if (state === 'disconnected') this.fire('onMeetingStatus', { meetingStatus: 3 })
  }

  private reachGateway(): void {
    if (this.reachedGateway) return
    this.reachedGateway = true
    this.speed(8)
    this.after(SUCCESS_S, () => {
      this.fire('onMeetingStatus', { meetingStatus: 2 })
      this.fire('onClaimStatus', {})
      this.parts.onSuccess()
    })
  }

  private fireWaitingRoom(isInWaitingRoom: boolean): void {
    const { self } = this.parts.welcome
    this.after(WAITING_ROOM_S, () => this.fire('onUserIsInWaitingRoom', { self: true, isInWaitingRoom, userId: self }))
  }

  private onPeople(people: PagePerson[]): void {
    const before = this.attendees
    this.people = people
    const { joined, left, changed } = changesBetween(before, this.attendees)
    for (const attendee of joined) this.fire('onUserJoin', attendee)
    for (const attendee of left) this.fire('onUserLeave', attendee)
    for (const attendee of changed) this.fire('onUserUpdate', attendee)
  }

  private onSpeaking(node: number, speaking: boolean): void {
    this.people = this.people.map((person) => (person.node === node ? { ...person, speaking } : person))
    this.fireSpeakers()
  }

  /** Only while a participant speaks; silence has no event. */
  private fireSpeakers(): void {
    const speaking = this.people.filter((person) => person.speaking && !person.isSelf).slice(0, 3)
    if (speaking.length === 0 || !this.isIn) return
    this.fire(
      'onActiveSpeaker',
      speaking.map(({ node, name }) => ({ userId: node, userName: name })),
    )
  }

  private fireChat(line: ChatLine): void {
    if (line.isOwn) return
    this.fire('onReceiveChatMsg', {
      sender: line.senderName,
      senderId: line.senderNode,
      senderGuid: `u-${line.senderNode}`,
      timestamp: line.at,
      receiver: line.privateTo ?? 'Everyone',
      receiverId: line.privateTo === null ? 0 : this.parts.welcome.self,
      type: line.file ? 'file' : 'text',
      content: {
        text: line.text,
        messageId: line.id,
        chatType: 0,
        messageType: 0,
        t: line.at,
        ...(line.file && { file: { fileName: line.file.name, fileSize: line.file.bytes } }),
      },
    })
  }

  private fireLeft(reasonCode: number, reason: string): void {
    if (this.hasLeft) return
    this.hasLeft = true
    this.isIn = false
    this.fire('onUserLeave', { reasonCode, reason })
  }

  private speed(level: number): void {
    this.fire('onJoinSpeed', joinSpeed(level))
  }

  private fire(name: string, data: unknown): void {
    this.parts.events.fire(name, data)
  }

  private after(seconds: number, action: () => void): void {
    setTimeout(action, seconds * this.secondMs)
  }
}

export function joinSpeed(level: number) {
  return { tag: 'JOIN_SPEED', level, text: `level ${level}`, time: Date.now(), timeStr: new Date().toISOString() }
}
