/**
 * A visit on the pre-join page and in the waiting room, and the screens on which visits end
 * (docs/platform-notes/microsoft-teams.md#the-mock).
 */

import { type Random, randomOf } from '../shared/page/random.ts'
import { Visit } from '../shared/visit.ts'
import type { TeamsMeeting } from './meeting.ts'
import type { DialogKind, FromPage, RetryKind, ToPage, View } from './page/protocol.ts'
import { SUB_CODES } from './push.ts'
import type { Range } from './settings.ts'
import { RETRY_STATES, STATES } from './visit-types.ts'

const LOBBY_TEXTS = {
  started: [
    'Hi, {0}. Someone will let you in shortly.',
    'Someone in the meeting should let you in soon',
    "We've let people in the meeting know you're waiting",
  ],
  notStarted: [
    'Hi, {0}. Someone will let you in when the meeting starts.',
    "When the meeting starts, we'll let people know you're waiting",
  ],
}
const NOT_STARTED =
  'External participants are not permitted to join before the event begins. Please join after the event has started.'
/** The text that a person has to type into the captcha. */
const CAPTCHA_ANSWER = 'TEAMS'

/** The launcher's page, which is a separate visit: where it leads, and whether it waits for a choice. */
export interface Launch {
  next: string
  asks: boolean
  /** Address of the silent attempt to sign in, which the page makes in a frame. */
  probe: string | null
}

/** The meeting in the page's address. */
export interface Link {
  code: string
  passcode: string
  /** Whether there is such a meeting with this passcode; found out after joining. */
  isRight: boolean
}

export abstract class PreCallVisit extends Visit<ToPage, FromPage> {
  protected readonly meeting: TeamsMeeting
  private readonly launch: Launch | null
  private readonly link: Link
  private readonly random: Random
  private dialogAnswered: ((choice: string) => void) | null = null
  protected gatePassed: (() => void) | null = null

  constructor(meeting: TeamsMeeting, given: { launch?: Launch; link?: Link }) {
    super(meeting, STATES)
    this.meeting = meeting
    this.launch = given.launch ?? null
    this.link = given.link ?? { code: '', passcode: '', isRight: true }
    this.random = randomOf(meeting.seed + 31)
  }

  /** The bot is let in. */
  protected abstract enterCall(): void

  protected show(view: View): void {
    this.send({ do: 'view', view })
  }

  protected after(range: Range, action: () => void): void {
    this.timers.after(this.random.int(range[0], range[1]), action)
  }

  // Before the join request.

  /** A page has opened its socket. */
  protected load(): void {
    const { settings } = this.meeting
    if (this.launch) {
      const { next, asks, probe } = this.launch
      this.enter('launcher')
      this.show({ name: 'launcher', appLink: 'msteams:/l/meetup-join/0', probe })
      if (!asks) this.after(settings.launcherMs, () => this.goOn(next))
      return
    }
    this.enter('loading')
    this.show({ name: 'splash' })
    if (!Number.isFinite(settings.splashMs[0])) return
    this.after(settings.splashMs, () => void this.greet())
  }

  protected onLaunch(choice: 'web' | 'app'): void {
    this.meeting.note({ event: 'rpc', target: 'launch', detail: choice })
    if (this.launch && choice === 'web') this.goOn(this.launch.next)
  }

  /** The document that follows is another visit, or the next part of this one. */
  protected goOn(url: string): void {
    this.moving()
    this.navigate(url)
  }

  private async greet(): Promise<void> {
    const { settings } = this.meeting
    if (settings.load === 'malformed') {
      this.show({ name: 'malformed' })
      this.over('malformed')
      return
    }
    if (settings.beforePreJoin === 'permission-gate') {
      this.enter('permissionGate')
      const passed = new Promise<void>((resolve) => {
        this.gatePassed = resolve
      })
      this.show({ name: 'permissionGate' })
      await passed
    }
    if (settings.beforePreJoin === 'av-confirm') await this.ask('avConfirm', 'av-confirm')
    this.showPreJoin()
  }

  protected showPreJoin(): void {
    const { settings } = this.meeting
    this.timers.clear()
    this.show({ name: 'preJoin' })
    this.enter('greenRoom')
    this.after(settings.deviceListMs, () =>
      this.send({ do: 'acquire', microphone: settings.microphoneAtFirst, camera: settings.cameraAtFirst }),
    )
    if (Number.isFinite(settings.reloadMs)) this.timers.after(settings.reloadMs, () => this.reload())
  }

  /** The platform loads the page once more. The typed text is lost. */
  private reload(): void {
    if (this.state === 'greenRoom' && this.meeting.isFirst('reload'))
      this.goOn(`${this.meeting.lightPath()}&lightExperience=false`)
  }

  private ask(state: string, dialog: DialogKind): Promise<string> {
    this.enter(state)
    this.send({ do: 'dialog', dialog })
    return new Promise((resolve) => {
      this.dialogAnswered = resolve
    })
  }

  protected onDialog(dialog: DialogKind, choice: string): void {
    this.meeting.note({ event: 'rpc', target: dialog, detail: choice })
    if (dialog === 'still-there' && choice === 'leave') this.finishLeft()
    const answered = this.dialogAnswered
    this.dialogAnswered = null
    answered?.(choice)
  }

  /** Detection is on, and the bot has not proved that it is registered. */
  private get isSuspected(): boolean {
    return this.meeting.settings.botAccess !== 'AllowAllBots' && this.meeting.botToken !== 'valid'
  }

  // Joining.

  override askToJoin(name: string): void {
    this.expect('ask to join', ['greenRoom'])
    this.join(name)
  }

  protected join(name: string): void {
    const isAgain = this.state === 'lobbyDropped'
    // A host would see a second request beside the first.
    if (this.isWaiting) this.meeting.note({ event: 'rpc', target: 'second-request', detail: this.state })
    if (this.state !== 'greenRoom' && !isAgain) return
    const { settings } = this.meeting
    this.botName = name.slice(0, 200)
    this.timers.clear()
    if (settings.avConfirm !== 'never' && this.meeting.isFirst('join')) {
      this.after(settings.avConfirmMs, () => {
        const dialog = settings.avConfirm === 'in-frame' ? 'av-confirm-frame' : 'av-confirm'
        // The dialog swallows the join: the button has to be pressed once more.
        void this.ask('avConfirm', dialog).then(() => this.enter('greenRoom'))
      })
      return
    }
    this.connect()
  }

  private connect(): void {
    const { settings } = this.meeting
    this.enter('joining')
    this.show({ name: 'connecting' })
    if (!this.link.isRight) this.after(settings.retryMs, () => this.retry('notFound'))
    else if (this.isSuspected && settings.botAccess === 'BlockDetectedBots')
      this.after(settings.retryMs, () => this.retry('botsBlocked'))
    else if (settings.afterJoin === 'captcha') this.after(settings.captchaMs, () => void this.captcha())
    else if (this.account !== null && (settings.accountsAreInvited || settings.afterJoin === 'wall'))
      this.after(settings.connectingMs, () => this.enterCall())
    else if (settings.afterJoin === 'lobby' || (this.isSuspected && settings.afterJoin === 'call'))
      this.after(settings.connectingMs, () => this.enterLobby())
    else if (settings.afterJoin === 'call') this.after(settings.connectingMs, () => this.enterCall())
    else if (settings.afterJoin === 'wall') this.after(settings.retryMs, () => this.wall(settings.wall, 'signInWall'))
    else if (settings.afterJoin === 'not-started')
      this.after(settings.retryMs, () => this.wall(NOT_STARTED, 'notStarted'))
    else {
      const kind = settings.afterJoin
      this.after(settings.retryMs, () => this.retry(kind))
    }
  }

  private wall(text: string, state: string): void {
    this.show({ name: 'wall', text })
    this.over(state)
  }

  private async captcha(): Promise<void> {
    const answer = await this.ask('captcha', 'captcha')
    if (answer.toUpperCase() === CAPTCHA_ANSWER) this.after(this.meeting.settings.connectingMs, () => this.enterLobby())
    else this.after(this.meeting.settings.retryMs, () => this.retry('captchaFailed'))
  }

  /** A person who reads the picture. */
  solveCaptcha(): void {
    this.expect('solve the captcha', ['captcha'])
    this.send({ do: 'closeDialogs' })
    this.dialogAnswered?.(CAPTCHA_ANSWER)
  }

  // Waiting.

  private enterLobby(): void {
    const { settings } = this.meeting
    const texts = LOBBY_TEXTS[settings.hasStarted ? 'started' : 'notStarted']
    this.show({ name: 'lobby', text: texts[this.meeting.seed % texts.length] ?? '' })
    this.enter(this.isSuspected ? 'suspected' : 'lobby')
    this.timers.after(settings.lobbyMs, () => this.retry('noResponse'))
    if (this.meeting.isFirst('lobby')) this.timers.after(settings.lobbyDropMs, () => this.dropRequest())
  }

  private dropRequest(): void {
    if (!this.isWaiting) return
    this.show({ name: 'lobby', text: null })
    this.enter('lobbyDropped')
  }

  protected cancel(): void {
    if (this.isInCall || this.isOver) return
    this.meeting.note({ event: 'rpc', target: 'withdrawn', detail: this.state })
    this.finishLeft()
  }

  override admit(): void {
    this.expect('admit', STATES.waiting)
    this.timers.clear()
    this.after(this.meeting.settings.admissionMs, () => this.enterCall())
  }

  override deny(): void {
    this.expect('deny', STATES.waiting)
    this.timers.clear()
    const { denial, denialMs } = this.meeting.settings
    this.meeting.pushEnd(SUB_CODES.denied, 'Denied in the lobby', true)
    this.after(denialMs, () => this.retry(denial))
  }

  // Ends.

  /** Shows the screen that serves every failure. */
  retry(kind: RetryKind): void {
    const { code, passcode } = this.link
    this.send({ do: 'closeDialogs' })
    this.show({ name: 'retry', kind, meetingId: code, passcode })
    this.over(RETRY_STATES[kind] ?? kind)
  }

  protected onRetry(choice: 'rejoin' | 'dismiss'): void {
    if (choice === 'rejoin') this.showPreJoin()
    else this.navigate('/v2/')
  }

  finishLeft(): void {
    this.finish('left', 'You left the meeting')
  }

  protected finish(state: string, heading: string): void {
    if (this.isOver) return
    this.send({ do: 'closeDialogs' })
    this.show({ name: 'end', heading })
    this.over(state)
  }
}
