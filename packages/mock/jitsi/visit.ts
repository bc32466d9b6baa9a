/** One load of the room's page: the state machine behind it. The page shows what this decides. */

import { Visit } from '../shared/visit.ts'
import type { JitsiMeeting } from './meeting.ts'
import type { DialogKind, FromPage, Notice, ToPage } from './page/protocol.ts'
import type { JoinResponse } from './settings.ts'

interface Refusal {
  failure: string
  notice: Notice
}

const REFUSALS: Readonly<Partial<Record<JoinResponse, Refusal>>> = {
  full: {
    failure: 'conference.max_users',
    notice: { title: 'dialog.maxUsersLimitReachedTitle', description: 'dialog.maxUsersLimitReached', isError: true },
  },
  'not-allowed': {
    failure: 'conference.connectionError.notAllowed',
    notice: { title: 'dialog.tokenAuthFailed', isError: true },
  },
  account: {
    failure: 'conference.connectionError.notAllowed',
    notice: { title: 'dialog.unauthenticatedAccessDisabled', isError: true },
  },
  'too-quick': {
    failure: 'conference.connectionError.notAllowed',
    notice: { title: 'dialog.tokenAuthFailed', description: 'dialog.errorRoomCreationRestriction', isError: true },
  },
  'not-connected': {
    failure: 'conference.connectionError',
    notice: { title: 'connection.CONNFAIL', description: 'dialog.connectError', isError: true },
  },
}

const DENIED: Refusal = {
  failure: 'conference.connectionError.accessDenied',
  notice: { title: 'lobby.joinRejectedTitle', description: 'lobby.joinRejectedMessage', isError: true },
}

const STATES = {
  waiting: ['lobby', 'waitingForModerator'],
  inCall: ['call', 'consent', 'reconnecting'],
  over: ['left', 'removed', 'hostEnded', 'denied'],
} as const

export const REASONS = {
  terminated: 'The meeting has been terminated',
  lobbyClosed: 'The lobby room has been closed.',
  timeLimit: 'This meeting has ended because it reached its time limit. Start a new meeting to continue.',
  kickedBySystem: 'Ouch! You were kicked out of the meeting',
  own: 'The room was closed by the operator',
} as const

export class JitsiVisit extends Visit<ToPage, FromPage> {
  private readonly meeting: JitsiMeeting
  private isReloading = false

  constructor(meeting: JitsiMeeting) {
    super(meeting, STATES)
    this.meeting = meeting
  }

  protected override receive(message: FromPage): void {
    if (message.say === 'hello') this.load(message.url)
    else if (message.say === 'launch') this.greet()
    else if (message.say === 'join') this.join(message.name)
    else if (message.say === 'knock') this.waitInLobby(message.name)
    else if (message.say === 'password') this.tryPassword(message.password)
    else if (message.say === 'dialog') this.onDialog(message.dialog, message.choice)
    else if (message.say === 'leave') this.leave(message.how)
    else if (message.say === 'screenRefused')
      this.send({ do: 'notice', notice: { title: 'notify.moderationInEffectCSTitle' } })
    else if (message.say === 'chat') this.meeting.chatFromBot(this, message.text)
  }

  private load(url: string): void {
    const { loadingMs, deepLink } = this.meeting.settings
    this.enter('loading')
    this.send({ do: 'view', view: { name: 'loading' } })
    this.timers.after(loadingMs, () => {
      if (!deepLink && /disableDeepLinking=true/.test(url)) this.greet()
      else {
        this.enter('deepLink')
        this.send({ do: 'view', view: { name: 'deepLink' } })
      }
    })
  }

  private greet(): void {
    this.send({ do: 'view', view: { name: 'prejoin', isJoining: false } })
    this.enter('greenRoom')
  }

  override askToJoin(name: string): void {
    this.expect('ask to join', ['greenRoom'])
    this.join(name)
  }

  private join(name: string): void {
    if (this.state !== 'greenRoom' && this.state !== 'refused' && this.state !== 'denied') return
    this.botName = name
    this.enter('joining')
    this.send({ do: 'failure', name: null })
    this.send({ do: 'view', view: { name: 'prejoin', isJoining: true } })
    this.timers.after(this.meeting.settings.joinMs, () => this.open())
  }

  private open(): void {
    const { joinResponse } = this.meeting.settings
    const refusal = REFUSALS[joinResponse]
    if (refusal) this.refuse(refusal, 'refused')
    else if (joinResponse === 'lobby') this.wait()
    else if (joinResponse === 'lobby-button') {
      this.enter('lobbyEntrance')
      this.showLobby(false)
    } else if (joinResponse === 'password') {
      this.enter('password')
      this.send({ do: 'failure', name: 'conference.passwordRequired' })
      this.send({ do: 'dialog', dialog: 'password' })
    } else if (joinResponse === 'moderator' || joinResponse === 'moderator-lobby') {
      this.enter('waitingForModerator')
      if (joinResponse === 'moderator') this.send({ do: 'failure', name: 'conference.authenticationRequired' })
      else this.showLobby(true)
      this.send({ do: 'dialog', dialog: joinResponse })
    } else if (joinResponse === 'login-dialog') {
      this.enter('refused')
      this.send({ do: 'dialog', dialog: 'login' })
    } else this.letIn()
  }

  private refuse({ failure, notice }: Refusal, state: string): void {
    this.send({ do: 'failure', name: failure })
    this.send({ do: 'view', view: { name: 'prejoin', isJoining: false } })
    this.send({ do: 'notice', notice })
    if (state === 'refused') this.enter(state)
    else this.over(state)
  }

  private wait(): void {
    this.enter('lobby')
    this.showLobby(true)
  }

  private showLobby(isKnocking: boolean, password: 'none' | 'asked' | 'wrong' = 'none'): void {
    this.send({ do: 'view', view: { name: 'lobby', isKnocking, password } })
  }

  private waitInLobby(name: string): void {
    if (this.state !== 'lobbyEntrance') return
    this.botName = name
    this.wait()
  }

  private tryPassword(password: string): void {
    const isRight = password === this.meeting.settings.password
    this.meeting.note({ event: 'rpc', target: isRight ? 'password-right' : 'password-wrong' })
    if (this.state === 'lobby' || this.state === 'lobbyEntrance') {
      if (isRight) this.letIn()
      else this.showLobby(this.state === 'lobby', 'wrong')
    } else if (this.state === 'password') {
      this.timers.after(400, () => {
        if (isRight) this.letIn()
        else this.send({ do: 'dialog', dialog: 'password' })
      })
    }
  }

  private onDialog(dialog: DialogKind, choice: string): void {
    this.meeting.note({ event: 'rpc', target: `${dialog}-${choice}` })
    if (dialog === 'consent' && this.state === 'consent') this.enter('call')
    else if (dialog === 'moderator' && choice === 'cancel') this.send({ do: 'navigate', url: '/' })
  }

  /** The page is a participant from here on. */
  private letIn(): void {
    this.send({ do: 'closeDialogs' })
    this.send({ do: 'failure', name: null })
    this.send({ do: 'view', view: { name: 'call', people: this.meeting.peopleFor() } })
    this.joinCall()
  }

  askConsent(): void {
    this.expect('ask for consent', ['call'])
    this.enter('consent')
    this.send({ do: 'devices', microphone: false, camera: false })
    this.send({ do: 'dialog', dialog: 'consent' })
  }

  private leave(how: 'button' | 'menu' | 'end-for-all'): void {
    if (!this.isInCall) return
    this.meeting.note({ event: 'rpc', target: `left-by-${how}` })
    if (how === 'end-for-all') this.meeting.endedByBot()
    else this.finish('left', null)
  }

  /** The conference is over for this page; `reason` is what it says about it. */
  finish(state: 'left' | 'removed' | 'hostEnded', reason: string | null): void {
    this.over(state)
    this.send({ do: 'over', reason: this.meeting.settings.saysWhy ? reason : null })
  }

  // Actions of the host.

  override admit(): void {
    this.expect('admit the bot', STATES.waiting)
    this.letIn()
  }

  override deny(): void {
    this.expect('deny the bot', ['lobby'])
    this.refuse(DENIED, 'denied')
  }

  override remove(): void {
    this.expect('remove the bot', STATES.inCall)
    this.finish('removed', `Ouch! ${this.meeting.moderatorName} kicked you out of the meeting`)
  }

  override endForAll(): void {
    if (this.isInCall) this.finish('hostEnded', REASONS.terminated)
    else if (this.isWaiting) this.finish('hostEnded', REASONS.lobbyClosed)
  }

  /** The media connection fails first. Later the page notices that its server is gone too, and reloads. */
  override loseConnection(): void {
    this.expect('cut off the bot', ['call', 'consent'])
    this.enter('reconnecting')
    this.media.lose()
    this.timers.after(this.meeting.settings.serverLossMs, () => this.loseServer('network'))
  }

  override regainConnection(): void {
    this.expect('reconnect the bot', ['reconnecting'])
    // A page that has begun to count down reloads all the same.
    if (this.isReloading) return
    this.timers.clear()
    this.enter('call')
    this.media.regain()
  }

  /** The overlay with its countdown. At its end the page reloads. */
  loseServer(kind: 'network' | 'error'): void {
    this.isReloading = true
    if (this.state !== 'reconnecting') {
      this.enter('reconnecting')
      this.media.lose()
    }
    this.send({ do: 'overlay', kind, forMs: Math.round(this.meeting.settings.reloadMs / this.meeting.speed) })
  }
}
