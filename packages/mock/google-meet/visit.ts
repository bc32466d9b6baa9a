/** One load of the meeting page: the state machine behind it. The page shows what this decides. */

import { Timers } from '../shared/timers.ts'
import { Visit } from '../shared/visit.ts'
import { FINAL_VIEWS, type FinalState, type FinalView } from './final-states.ts'
import type { GoogleMeetMeeting } from './meeting.ts'
import type { DialogKind, FromPage, ToPage } from './page/protocol.ts'

type VisitState =
  | 'boot'
  | 'loading'
  | 'devicePrompt'
  | 'signinPromo'
  | 'greenRoom'
  | 'joining'
  | 'waitingForHost'
  | 'lobby'
  | 'suspected'
  | 'consent'
  | 'call'
  | 'reconnecting'
  | 'alonePrompt'
  | 'closed'
  | FinalState

const STATES = {
  waiting: ['lobby', 'suspected', 'waitingForHost'],
  /** In the call, or nearly. */
  inCall: ['consent', 'call', 'reconnecting', 'alonePrompt'],
  over: [...Object.keys(FINAL_VIEWS), 'invalid', 'expired'],
} as const satisfies Record<string, readonly string[]>

/** Meet turns both devices off for those who wait this long. */
const LOBBY_DEVICES_OFF_MS = 180_000
const BLANK_MS = 500
const CONSENT_MS = 500
const DEVICE_RESET_MS = 1000
const TIP_MS = 400

export class GoogleMeetVisit extends Visit<ToPage, FromPage> {
  captionsOn = false
  /** Of the presentation of the bot. */
  shareDevice: string | null = null
  /** The bot's own device in this visit. */
  readonly self: string
  private readonly meeting: GoogleMeetMeeting
  private readonly aloneTimers: Timers
  private dialogAnswered: ((choice: string) => void) | null = null
  private needsPrompt: ((needed: boolean) => void) | null = null
  private readonly isBlocked: boolean

  constructor(meeting: GoogleMeetMeeting, given: { self: string; isBlocked: boolean }) {
    super(meeting, STATES)
    this.meeting = meeting
    this.self = given.self
    this.isBlocked = given.isBlocked
    this.aloneTimers = new Timers(meeting.speed)
  }

  protected override receive(message: FromPage): void {
    if (message.say === 'ready') this.needsPrompt?.(message.needsPrompt)
    else if (message.say === 'hello') this.load()
    else if (message.say === 'join') this.join(message.name)
    else if (message.say === 'dialog') this.onDialog(message.dialog, message.choice)
    else if (message.say === 'leave') this.leave(message.how)
    else if (message.say === 'final') this.onFinalButton(message.choice)
    else if (message.say === 'chat') this.meeting.chatFromBot(this, message.text)
    else if (message.say === 'captions') this.captionsOn = message.on
    else if (message.say === 'decodes') this.meeting.pageDecodes(this, message.own)
  }

  private load(): void {
    const { settings } = this.meeting
    const permission = new Promise<boolean>((resolve) => {
      this.needsPrompt = resolve
    })
    this.enter('loading')
    this.send({ do: 'view', view: { name: 'loading' } })
    this.timers.after(settings.loadingMs, () => {
      if (this.isBlocked) this.finish('blocked')
      else if (settings.load === 'expired-code') this.finish('expired', 'expired-code')
      else if (settings.load === 'invalid-code') this.finish('invalid', 'invalid-code')
      else if (settings.load === 'code-does-not-work') this.finish('invalid', 'code-does-not-work')
      else if (settings.load === 'invalid-name') this.finish('invalid', 'invalid-name')
      else if (settings.callErrorFlash) {
        this.send({ do: 'view', view: FINAL_VIEWS.callError })
        this.timers.after(1000, () => void this.greet(permission))
      } else void this.greet(permission)
    })
  }

  /** The green room, after the dialogs that come first. */
  private async greet(permission: Promise<boolean>): Promise<void> {
    const { settings } = this.meeting
    this.send({ do: 'view', view: { name: 'greenRoom', inside: this.meeting.namesInside() } })
    const withoutDevices = settings.page.devices === 'none'
    const needsPrompt = settings.devicePrompt !== 'auto' || ((await permission) && !withoutDevices)
    let devices = true
    if (needsPrompt) devices = (await this.ask('devicePrompt', 'device-prompt')) === 'ok'
    this.send({ do: 'acquire', microphone: devices, camera: devices })
    if (settings.signinPromo) await this.ask('signinPromo', 'signin-promo')
    this.enter('greenRoom')
  }

  private ask(state: VisitState, dialog: DialogKind): Promise<string> {
    this.enter(state)
    this.send({ do: 'dialog', dialog })
    return new Promise((resolve) => {
      this.dialogAnswered = resolve
    })
  }

  override askToJoin(name: string): void {
    this.expect('ask to join', ['greenRoom'])
    this.join(name)
  }

  private join(name: string): void {
    if (this.state !== 'greenRoom' && this.state !== 'denied' && this.state !== 'requestTimeout') return
    this.botName = name
    this.enter('joining')
    this.send({ do: 'view', view: { name: 'joining' } })
    this.timers.after(this.meeting.settings.joinMs, () => void this.afterJoin())
  }

  private async afterJoin(): Promise<void> {
    const { settings } = this.meeting
    if (settings.devicePrompt === 'twice') await this.ask('joining', 'device-prompt')
    const mayEnter = settings.accountsAreInvited || settings.afterJoin === 'login-wall'
    if (settings.afterJoin === 'call' || (this.account !== null && mayEnter)) this.enterCall()
    else if (settings.afterJoin === 'lobby' || settings.afterJoin === 'suspected') this.enterLobby()
    else if (settings.afterJoin === 'denied') this.finish('denied')
    else if (settings.afterJoin === 'full') this.finish('full')
    else if (settings.afterJoin === 'login-wall') this.navigate('https://accounts.google.com/v3/signin/identifier')
    else if (settings.afterJoin === 'waiting-for-host') {
      this.enter('waitingForHost')
      this.send({ do: 'view', view: { name: 'waitingForHost' } })
    } else {
      this.send({ do: 'view', view: { name: 'blank' } })
      this.timers.after(BLANK_MS, () => this.finish('blocked'))
    }
  }

  private enterLobby(): void {
    const { settings, speed } = this.meeting
    const isSuspected = settings.afterJoin === 'suspected'
    this.enter(isSuspected ? 'suspected' : 'lobby')
    const textDelayMs = settings.lobbyTextDelayMs / speed
    this.send({ do: 'view', view: { name: 'lobby', self: this.self, textDelayMs } })
    this.timers.after(LOBBY_DEVICES_OFF_MS, () => this.send({ do: 'devices', microphone: false, camera: false }))
    if (isSuspected) this.timers.after(settings.suspectedMs, () => this.finish('denied'))
    this.timers.after(settings.requestTimeoutMs, () => this.finish('requestTimeout'))
  }

  override admit(): void {
    this.expect('admit', STATES.waiting)
    this.timers.clear()
    this.timers.after(this.meeting.settings.admissionMs, () => this.enterCall())
  }

  override deny(): void {
    this.expect('deny', STATES.waiting)
    this.finish('denied', this.meeting.settings.denial === 'left' ? 'deniedAsLeft' : 'denied')
  }

  override remove(): void {
    this.expect('remove', STATES.inCall)
    this.finish('removed')
  }

  override endForAll(): void {
    if (this.isInCall || this.isWaiting) this.finish('hostEnded')
  }

  private enterCall(): void {
    const { settings } = this.meeting
    this.timers.clear()
    const people = this.meeting.peopleFor(this)
    this.send({ do: 'view', view: { name: 'call', self: this.self, botName: this.botName, people } })
    this.send({ do: 'acquire', microphone: this.microphoneOn, camera: this.cameraOn })
    if (settings.consent === 'none') {
      this.becomeParticipant()
      return
    }
    this.enter('consent')
    const dialog = `consent-${settings.consent}` as const
    this.dialogAnswered = () => this.becomeParticipant()
    this.timers.after(CONSENT_MS, () => this.send({ do: 'dialog', dialog }))
  }

  private becomeParticipant(): void {
    const { settings } = this.meeting
    this.joinCall()
    if (settings.devicesReset) {
      this.timers.after(DEVICE_RESET_MS, () => this.send({ do: 'devices', microphone: true, camera: true }))
    }
    if (settings.tips > 0) this.showTip(settings.tips)
  }

  private showTip(left: number): void {
    this.timers.after(TIP_MS, () => {
      this.send({ do: 'dialog', dialog: 'got-it' })
      this.dialogAnswered = () => {
        if (left > 1) this.showTip(left - 1)
      }
    })
  }

  /** A consent dialog in mid-call: the bot stays a participant, the page waits for an answer. */
  askConsent(): void {
    this.expect('ask for consent', ['call'])
    this.dialogAnswered = () => this.enter('call')
    this.enter('consent')
    this.send({ do: 'dialog', dialog: 'consent-recording' })
  }

  override setAlone(isAlone: boolean): void {
    this.aloneTimers.clear()
    if (!isAlone || !this.isInCall) return
    const { aloneMs } = this.meeting.settings
    this.aloneTimers.after(aloneMs, () => this.askWhetherAlone())
  }

  askWhetherAlone(): void {
    if (this.state !== 'call') return
    this.enter('alonePrompt')
    this.send({ do: 'dialog', dialog: 'alone' })
    this.aloneTimers.after(this.meeting.settings.aloneAnswerMs, () => this.finish('everyoneLeft'))
  }

  override loseConnection(): void {
    this.expect('lose the connection', ['call'])
    this.enter('reconnecting')
    this.send({ do: 'banner', text: 'You lost your network connection. Trying to reconnect...' })
    this.media.lose()
    this.timers.after(this.meeting.settings.reconnectMs, () => {
      if (this.state === 'reconnecting') this.finish('left')
    })
  }

  override regainConnection(): void {
    this.expect('regain the connection', ['reconnecting'])
    this.enter('call')
    this.send({ do: 'banner', text: null })
    this.media.regain()
  }

  private onDialog(dialog: DialogKind, choice: string): void {
    this.meeting.note({ event: 'rpc', target: dialog, detail: choice })
    if (dialog === 'leave-host') this.leave(choice === 'end-for-all' ? 'end-for-all' : 'just-leave')
    else if (dialog.startsWith('consent') && choice === 'cancel') this.finish('left')
    else if (dialog === 'alone') {
      this.aloneTimers.clear()
      if (choice === 'leave') this.finish('left')
      else if (this.state === 'alonePrompt') this.enter('call')
    } else {
      const answered = this.dialogAnswered
      this.dialogAnswered = null
      answered?.(choice)
    }
  }

  private leave(how: 'toolbar' | 'just-leave' | 'end-for-all'): void {
    if (how === 'end-for-all') this.meeting.endedByBot()
    else if (this.isInCall) this.finish('left', this.meeting.seed % 2 === 0 ? 'leftNewCopy' : 'left')
    else this.finish('left')
  }

  private onFinalButton(choice: string): void {
    if (choice === 'Return to home screen') this.navigate('https://meet.google.com/landing')
    else if (choice === 'Ask to join again') this.join(this.botName)
    else {
      this.timers.clear()
      void this.greet(Promise.resolve(false))
    }
  }

  /** The admission was not real: the waiting room is back. */
  backToLobby(): void {
    this.timers.clear()
    this.media.lose()
    this.enterLobby()
  }

  finish(state: FinalState, view: FinalView = state as FinalView): void {
    this.timers.clear()
    this.aloneTimers.clear()
    if (state === 'denied') this.meeting.denied()
    const { lobbyTextAfterDenial } = this.meeting.settings
    const isDenial = state === 'denied' || state === 'requestTimeout'
    this.media.close()
    this.send({ do: 'closeDialogs' })
    this.send({ do: 'view', view: { ...FINAL_VIEWS[view], lobbyText: isDenial ? lobbyTextAfterDenial : 'gone' } })
    this.enter(state)
  }

  protected override onClosed(): void {
    this.aloneTimers.clear()
    super.onClosed()
  }
}
