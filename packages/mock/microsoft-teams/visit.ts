/** One visit of the meeting page: the state machine behind it, from the link to the end. The page shows what this decides. */

import type { WebSocket } from 'ws'
import type { TeamsMeeting } from './meeting.ts'
import type { ChatLine, FromPage } from './page/protocol.ts'
import { type Launch, type Link, PreCallVisit } from './pre-call-visit.ts'
import { SUB_CODES } from './push.ts'
import { STATES } from './visit-types.ts'

export class TeamsVisit extends PreCallVisit {
  captionsOn = false
  /** The bot's own key in this visit. */
  readonly mri: string
  readonly callId: string
  private readonly chat: ChatLine[] = []
  private pushSocket: WebSocket | null = null

  constructor(meeting: TeamsMeeting, given: { mri: string; callId: string; launch?: Launch; link?: Link }) {
    super(meeting, given)
    this.mri = given.mri
    this.callId = given.callId
  }

  /** The page's socket for pushes of the platform. */
  attachPush(socket: WebSocket): void {
    this.pushSocket = socket
    socket.on('error', () => {}) // The page works without it.
    socket.send('1::')
  }

  push(frame: string): void {
    if (this.pushSocket?.readyState === 1) this.pushSocket.send(frame)
  }

  protected override receive(message: FromPage): void {
    if (message.say === 'hello') this.greetPage()
    else if (message.say === 'token') this.meeting.identify(message.token)
    else if (message.say === 'launch') this.onLaunch(message.choice)
    else if (message.say === 'gatePassed') this.gatePassed?.()
    else if (message.say === 'join') this.join(message.name)
    else if (message.say === 'cancel') this.cancel()
    else if (message.say === 'dialog') this.onDialog(message.dialog, message.choice)
    else if (message.say === 'retry') this.onRetry(message.choice)
    else if (message.say === 'leave') this.leave(message.how)
    else if (message.say === 'rejoin') this.showPreJoin()
    else if (message.say === 'chat')
      this.after(this.meeting.settings.sendMs, () => this.meeting.chatFromBot(this, message.text))
    else if (message.say === 'captions') this.captionsOn = message.on
  }

  private greetPage(): void {
    this.captionsOn = false
    // If the visit is already in the call, the next document continues in the call.
    if (this.isInCall) this.showCall()
    else this.load()
  }

  // In the call.

  protected override enterCall(): void {
    const { settings } = this.meeting
    this.timers.clear()
    if (settings.encrypted) {
      this.show({ name: 'e2ee' })
      this.over('encrypted')
      return
    }
    this.joinCall()
    if (settings.skin === 'full') {
      // The page changes to the full client, which has no state of the first one.
      this.goOn('/v2/')
    } else this.showCall()
  }

  private showCall(): void {
    const people = this.meeting.peopleFor(this)
    this.show({ name: 'call', self: this.mri, botName: this.botName, callId: this.callId, people })
    this.send({ do: 'acquire', microphone: this.microphoneOn, camera: this.cameraOn })
    for (const line of this.chat) this.send({ do: 'chat', line })
    // The next document makes a new connection.
    this.media.open()
  }

  override remove(): void {
    this.expect('remove', STATES.inCall)
    const { removal, denialMs } = this.meeting.settings
    this.meeting.pushEnd(removal === 'removedAlt' ? SUB_CODES.removedAlt : SUB_CODES.removed, 'Removed', true)
    this.after(denialMs, () => this.retry(removal))
  }

  override endForAll(): void {
    if (!this.isInCall && !this.isWaiting) return
    this.meeting.pushEnd(SUB_CODES.ended, 'The meeting has ended', false)
    this.after(this.meeting.settings.endMs, () => this.finish('hostEnded', 'The meeting has ended'))
  }

  override loseConnection(): void {
    this.expect('lose the connection', ['call'])
    this.enter('reconnecting')
    this.send({ do: 'network', text: 'Reconnecting' })
    this.pushSocket?.terminate()
    this.media.lose()
    this.timers.after(this.meeting.settings.reconnectMs, () => {
      if (this.state === 'reconnecting') this.retry('couldNotConnect')
    })
  }

  override regainConnection(): void {
    this.expect('regain the connection', ['reconnecting'])
    this.timers.clear()
    this.enter('call')
    this.send({ do: 'network', text: null })
    this.media.regain()
  }

  private leave(how: 'hang-up' | 'leave' | 'end-for-all'): void {
    if (!this.isInCall) return
    this.meeting.note({ event: 'rpc', target: 'leave', detail: how })
    if (how === 'end-for-all') this.meeting.endedByBot()
    else this.timers.after(this.meeting.settings.leaveMs, () => this.finishLeft())
  }

  systemLine(text: string): void {
    this.meeting.systemLine(this, text)
  }

  /** A line of the chat; the next document of the same call shows it, too. */
  showChat(line: ChatLine): void {
    this.chat.push(line)
    this.send({ do: 'chat', line })
  }

  /** Gives the last message of another participant a new text; its id stays. */
  editLastMessage(text: string): void {
    const line = this.chat.findLast(({ mri, isOwn }) => mri !== null && !isOwn)
    if (!line) throw new Error('There is no message of another participant')
    this.changeChat({ ...line, text, isEdited: true })
  }

  changeChat(line: ChatLine): void {
    const place = this.chat.findIndex(({ id }) => id === line.id)
    if (place >= 0) this.chat[place] = line
    this.send({ do: 'chatChange', line })
  }

  /** The page loads once more, as the full client, in the middle of the call; maybe by way of a sign-in host. */
  hop(signInHost: string | null = null): void {
    this.expect('load the page again', ['call'])
    const back = new URLSearchParams({ prompt: 'none', redirect_uri: `https://${this.meeting.settings.host}/v2/` })
    this.goOn(signInHost === null ? '/v2/' : `https://${signInHost}/common/oauth2/v2.0/authorize?${back}`)
  }

  /** The call disappears without a message. */
  vanish(): void {
    this.expect('take the call away', STATES.inCall)
    this.show({ name: 'blank' })
    this.over('vanished')
  }

  protected override onClosed(): void {
    this.pushSocket?.terminate()
    super.onClosed()
  }
}
