/**
 * One load of the web client: the state machine behind it (docs/platform-notes/zoom.md#the-mock). The page shows what
 * this decides.
 */

import { randomOf } from '../shared/page/random.ts'
import { Visit } from '../shared/visit.ts'
import type { ZoomMeeting } from './meeting.ts'
import { isRight } from './numbers.ts'
import type { DialogKind } from './page/dialog-kinds.ts'
import type { FromPage, ToPage } from './page/protocol.ts'
import { TEXT } from './page/table.ts'
import { previewSettings, type ScenarioSettings } from './settings.ts'
import { HOST_TIPS, IN_CALL, OVER, PASSCODE_ERRORS, REFUSALS, ROOM_TIPS, WAITING } from './visit-types.ts'

const BOT_WALL_MS = 2000
const FEEDBACK_MS = 3000
const ROOM_CHANGE_MS = 3000
const TOAST_MS = 3000
const WEB = 'https://app.zoom.us/wc'

export interface VisitGiven {
  /** The bot's own node in this visit. */
  self: number
  isFramed: boolean
  asksPasscode: boolean
  /** `blank` and `stall` never get further. */
  load: 'client' | 'blank' | 'stall'
  /** Filled in already for those who are signed in. */
  name: string
}

export class ZoomVisit extends Visit<ToPage, FromPage> {
  readonly self: number
  isHost = false
  protected readonly meeting: ZoomMeeting
  protected readonly given: VisitGiven
  private captionsOn = false

  constructor(meeting: ZoomMeeting, given: VisitGiven) {
    super(meeting, { waiting: WAITING, inCall: IN_CALL, over: OVER })
    this.meeting = meeting
    this.given = given
    this.self = given.self
  }

  get hasCaptions(): boolean {
    return this.captionsOn
  }

  protected override receive(message: FromPage): void {
    if (message.say === 'hello') this.load()
    else if (message.say === 'devicesSettled') {
      if (this.state === 'preview') this.enter('greenRoom')
    } else if (message.say === 'join') this.join(message)
    else if (message.say === 'dialog') this.onDialog(message.dialog, message.choice)
    else if (message.say === 'leave') this.leave(message.how)
    else if (message.say === 'chat') this.meeting.chatFromBot(this, message.text)
    else if (message.say === 'captions') this.captionsOn = message.on
    else if (message.say === 'audio') this.meeting.note({ event: 'rpc', target: 'audio-joined' })
    else if (message.say === 'view') this.meeting.note({ event: 'rpc', target: 'view', detail: message.view })
  }

  protected load(): void {
    const { settings } = this.meeting
    this.enter('loading')
    if (this.given.load === 'blank') {
      this.send({ do: 'view', view: { name: 'blank' } })
      return
    }
    this.send({ do: 'view', view: { name: 'loading' } })
    if (this.given.load === 'stall') return
    this.timers.after(settings.loadingMs, () => {
      this.showPreview('')
      if (settings.botWall !== 'at-once') return
      this.over('botWall')
      this.send({ do: 'dialog', dialog: 'bot-wall' })
    })
  }

  protected showPreview(passcodeError: string): void {
    const { settings } = this.meeting
    const asked = this.given.asksPasscode || passcodeError !== ''
    const preview = { ...previewSettings(settings, asked), passcodeError }
    preview.name ||= this.given.name || this.botName
    this.enter('preview')
    const name = settings.form === 'classic' ? 'classic' : 'preview'
    this.send({ do: 'view', view: { name, preview } })
  }

  override askToJoin(name: string): void {
    this.expect('ask to join', ['greenRoom'])
    this.join({ say: 'join', name, passcode: '', email: '', captcha: '', isTrusted: true })
  }

  protected join({ name, passcode, captcha, isTrusted }: Extract<FromPage, { say: 'join' }>): void {
    if (this.state !== 'greenRoom') return
    const { settings } = this.meeting
    const devices = `microphone ${this.microphoneOn ? 'on' : 'off'}, camera ${this.cameraOn ? 'on' : 'off'}`
    this.meeting.note({ event: 'rpc', target: 'join', detail: devices })
    this.botName = name
    if ((settings.preview.captcha ?? 'invisible') !== 'invisible') {
      this.send({ do: 'captchaToast', text: captcha === '' ? TEXT.captchaRetry : TEXT.captchaWrong })
      return
    }
    this.enter('joining')
    this.send({ do: 'view', view: { name: 'joining' } })
    this.postToParent('JOINING')
    this.timers.after(settings.joinMs, () => {
      // The media socket is refused after an untrusted click (docs/platform-notes/zoom.md#sdk-initialization).
      if (!isTrusted) this.refuse('timeout', 'timeout')
      else if (this.given.asksPasscode && !isRight(passcode, this.meeting.passcode)) {
        this.showPreview(this.oneOf(PASSCODE_ERRORS))
      } else if (settings.botWall !== 'none') this.raiseWall(settings.botWall)
      else if (settings.disclaimer) {
        this.enter('disclaimer')
        this.send({ do: 'dialog', dialog: 'disclaimer' })
      } else this.afterJoin()
    })
  }

  private raiseWall(wall: ScenarioSettings['botWall']): void {
    this.showPreview('')
    if (wall === 'captcha-failed') {
      this.over('captchaFailed')
      this.send({ do: 'captchaToast', text: TEXT.captchaFailed })
      return
    }
    this.timers.after(wall === 'late' ? BOT_WALL_MS : 0, () => {
      this.over('botWall')
      this.send({ do: 'dialog', dialog: wall === 'late' ? 'bot-wall-curly' : 'bot-wall' })
    })
  }

  protected afterJoin(): void {
    const { afterJoin, accountsAreInvited } = this.meeting.settings
    const refusal = REFUSALS[afterJoin]
    if (refusal) this.refuse(...refusal)
    else if (afterJoin === 'call' || (this.account !== null && accountsAreInvited)) this.enterCall()
    else if (afterJoin === 'lobby') this.enterLobby()
    else if (afterJoin === 'waiting-for-host') this.wait('waitingForHost', [this.oneOf(HOST_TIPS)])
    else this.navigate(`https://app.zoom.us/signin?continue=${encodeURIComponent(WEB)}`)
  }

  protected refuse(state: string, dialog: DialogKind): void {
    this.send({ do: 'view', view: { name: 'blank' } })
    this.over(state)
    this.send({ do: 'dialog', dialog })
  }

  protected enterLobby(): void {
    this.wait('lobby', this.oneOf(ROOM_TIPS))
  }

  protected wait(state: string, tips: string[], isOnHold = false): void {
    this.enter(state)
    const look = this.meeting.settings.waitingLook
    this.send({ do: 'view', view: { name: 'waiting', tips, isOnHold, look } })
  }

  protected oneOf<T>(choices: readonly T[]): T {
    return choices[randomOf(this.meeting.seed + 7).int(0, choices.length - 1)]!
  }

  // The host's verbs.

  /** Lets the bot in; if it waits for the host, the host has come. */
  override admit(): void {
    this.expect('admit', WAITING)
    const wasForHost = this.state === 'waitingForHost'
    this.timers.clear()
    if (wasForHost) {
      this.enterLobby()
      return
    }
    this.enter('joining')
    this.send({ do: 'view', view: { name: 'joining' } })
    this.timers.after(this.meeting.settings.admissionMs, () => this.enterCall())
  }

  override deny(): void {
    this.expect('deny', WAITING)
    this.end('denied', 'removed', 'REMOVED_BY_HOST')
  }

  override remove(): void {
    this.expect('remove', IN_CALL)
    this.end('removed', 'removed', 'REMOVED_BY_HOST')
  }

  override endForAll(): void {
    if (this.isInCall || this.isWaiting) this.end('hostEnded', 'ended', 'END_BY_HOST')
  }

  override loseConnection(): void {
    this.expect('lose the connection', ['call'])
    this.enter('reconnecting')
    this.send({ do: 'dialog', dialog: 'reconnecting' })
    this.media.lose()
    this.timers.after(this.meeting.settings.reconnectMs, () => {
      if (this.state !== 'reconnecting') return
      this.send({ do: 'closeDialogs' })
      this.over('disconnected')
      this.send({ do: 'lost' })
    })
  }

  override regainConnection(): void {
    this.expect('regain the connection', ['reconnecting'])
    this.enter('call')
    this.send({ do: 'closeDialog', dialog: 'reconnecting' })
    this.media.regain()
  }

  protected enterCall(): void {
    const { settings } = this.meeting
    const people = this.meeting.peopleFor(this)
    this.send({ do: 'view', view: { name: 'meeting', people, self: this.self } })
    this.joinCall()
    this.postToParent('SUCCESS')
    for (const dialog of settings.notices) this.send({ do: 'dialog', dialog: dialog as DialogKind })
  }

  /** The meeting is over in this state, and a dialog says why. The page below the dialog stays. */
  end(state: string, dialog: DialogKind, parentEvent = 'PRE_END'): void {
    this.over(state)
    this.send({ do: 'stopMedia' })
    this.send({ do: 'closeDialogs' })
    this.send({ do: 'dialog', dialog })
    this.postToParent(parentEvent)
  }

  /** The top page navigates away without a message. */
  goAway(): void {
    this.over('hostEnded')
    this.navigate(WEB)
  }

  /** Another participant is the host now. */
  announceHost(): void {
    const host = this.meeting.chooseHost()
    if (host !== null) this.send({ do: 'toast', text: TEXT.newHost, value: host, forMs: TOAST_MS })
  }

  becomeHost(): void {
    this.expect('make a host', IN_CALL)
    this.meeting.makeBotHost(this)
    this.send({ do: 'toast', text: TEXT.youAreHost, forMs: TOAST_MS })
  }

  /** Puts the bot back into the waiting room. The visit does not end. */
  holdBack(): void {
    this.expect('put on hold', IN_CALL)
    this.timers.clear()
    this.media.lose()
    this.wait('onHold', [TEXT.waitingRoomPlease], true)
  }

  /** The host went; those who are in wait for another one. */
  loseHost(text: string): void {
    this.expect('lose the host', IN_CALL)
    this.media.lose()
    this.wait('onHold', [text], true)
  }

  protected onDialog(dialog: DialogKind, choice: string): void {
    this.meeting.note({ event: 'rpc', target: dialog, detail: choice })
    if (dialog === 'disclaimer') {
      if (choice === 'agree') this.afterJoin()
      else this.leave('leave')
    } else if (dialog === 'breakout' && choice === 'join') {
      this.send({ do: 'layer', text: 'Joining Room 1...' })
      this.timers.after(ROOM_CHANGE_MS, () => this.send({ do: 'layer', text: null }))
    } else if (choice === 'leave' && this.isInCall) this.leave('leave')
    else if (dialog === 'timeout' && choice === 'retry') this.showPreview('')
    else if (choice === 'sign-in') this.navigate('https://app.zoom.us/signin')
    else if (this.isOver && choice !== 'close') this.showAfterEnd()
  }

  protected leave(how: 'leave' | 'end' | 'waiting'): void {
    if (how === 'end') {
      this.meeting.note({ event: 'rpc', target: 'ended-by-bot' })
      this.meeting.endedByBot()
      return
    }
    if (this.isOver) return
    this.send({ do: 'stopMedia' })
    this.send({ do: 'closeDialogs' })
    this.over('left')
    this.postToParent('LEAVE')
    this.showAfterEnd()
  }

  protected showAfterEnd(): void {
    if (this.given.isFramed) {
      this.postToParent('CLOSED')
      return
    }
    const url = (feedback: boolean) => `/wc/leave?meetingNumber=${this.meeting.code}&feedback=${feedback}`
    this.send({ do: 'replaceState', url: url(false) })
    this.send({ do: 'view', view: { name: 'text', title: TEXT.thanks, body: '' } })
    this.timers.after(FEEDBACK_MS, () => this.send({ do: 'replaceState', url: url(true) }))
  }

  protected postToParent(event: string): void {
    this.send({ do: 'postToParent', event })
  }
}
