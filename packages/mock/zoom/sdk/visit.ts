/**
 * One stay in a meeting through the SDK: the web client's state machine from the gateway on, and the messages that only
 * the SDK has. A try that Zoom refuses never becomes a stay.
 */
import type { ZoomMeeting } from '../meeting.ts'
import type { DialogKind } from '../page/dialog-kinds.ts'
import type { FromPage } from '../page/protocol.ts'
import { TEXT } from '../page/table.ts'
import { ZoomVisit } from '../visit.ts'
import { sdkError } from './errors.ts'
import type { FromSdkPage, ToSdkPage } from './page/protocol.ts'
import type { SdkSettings } from './settings.ts'

/** In fail-over cases the dialog of the end closes by itself (docs/platform-notes/zoom.md#leaving-reasons). */
const END_CLOSES_MS = 5000

/** The SDK's reasons for leaving, by the state of the mock; docs/platform-notes/zoom.md#leaving-reasons. */
const REASONS: Readonly<Record<string, [code: number, text: string]>> = {
  hostEnded: [1, 'You are leave meeting by endMeeting(api)'],
  left: [2, 'You are leave meeting by yourself'],
  duplicate: [5, 'Meeting transfer'],
  removed: [6, 'You are removed by host/co-host from meeting'],
  denied: [7, 'You are removed by host/co-host from waiting room'],
}

export interface SdkGiven {
  settings: SdkSettings
  userName: string
  /** On whose behalf the bot came; it is sent out when this person goes. */
  authorizer: { id: string; name: string } | null
  isPresent(personId: string): boolean
}

export class SdkVisit extends ZoomVisit {
  private readonly sdk: SdkGiven

  constructor(meeting: ZoomMeeting, self: number, sdk: SdkGiven) {
    super(meeting, { self, isFramed: false, asksPasscode: false, load: 'client', name: sdk.userName })
    this.sdk = sdk
    this.botName = sdk.userName
  }

  protected override receive(message: FromPage): void {
    const word = message as FromSdkPage
    if (word.say === 'sdkRequest') this.askHost()
    else if (word.say === 'sdkCapture') this.meeting.note({ event: 'rpc', target: 'capture', detail: word.what })
    else super.receive(message)
  }

  /** The gateway has taken the bot in; with the preview page the person at it presses Join first. */
  protected override load(): void {
    if (this.sdk.settings.preview) {
      super.load()
      return
    }
    this.enter('joining')
    this.send({ do: 'view', view: { name: 'joining' } })
    this.timers.after(this.meeting.settings.joinMs, () => {
      if (this.sdk.settings.waitsForHost) this.wait('waitingForHost', [TEXT.hostNotStarted])
      else if (this.meeting.settings.disclaimer) {
        this.enter('disclaimer')
        this.send({ do: 'dialog', dialog: 'disclaimer' })
      } else this.afterJoin()
    })
  }

  protected override enter(state: string): void {
    super.enter(state)
    this.sendSdk({ do: 'sdkState', state })
  }

  override setAlone(): void {
    const { authorizer, isPresent } = this.sdk
    if (!this.isInCall || authorizer === null || isPresent(authorizer.id)) return
    const { code, text } = sdkError(4019)
    this.end('userLeft', 'user-left')
    this.sendSdk({ do: 'sdkStatus', errorCode: code, errorMessage: text })
  }

  override end(state: string, dialog: DialogKind, parentEvent?: string): void {
    super.end(state === 'userLeft' ? 'removed' : state, dialog, parentEvent)
    if (this.sdk.settings.endClosesItself) this.timers.after(END_CLOSES_MS, () => this.showAfterEnd())
  }

  /** The SDK's page goes to the address that the integration configured. */
  protected override showAfterEnd(): void {
    const [reasonCode, reason] = REASONS[this.state] ?? [0, 'other']
    this.sendSdk({ do: 'sdkLeave', reasonCode, reason })
  }

  /** The host grants or denies the right to record, with or without a request. */
  allowRecording(allow: boolean): void {
    this.meeting.note({ event: 'rpc', target: 'recording-right', detail: allow ? 'granted' : 'denied' })
    this.sendSdk({ do: 'sdkPermission', allow })
    const text = allow ? 'Request to record granted by host' : 'Request to record denied by Host'
    this.send({ do: 'toast', text, forMs: 5000 })
  }

  private askHost(): void {
    this.meeting.note({ event: 'rpc', target: 'recording-right', detail: 'asked' })
    const { allowsAfterMs } = this.sdk.settings.recording
    if (allowsAfterMs !== null) this.timers.after(allowsAfterMs, () => this.allowRecording(true))
  }

  /** The stub accepts more messages than the web client. */
  private sendSdk(message: Exclude<ToSdkPage, Parameters<ZoomVisit['send']>[0]>): void {
    this.send(message as unknown as Parameters<ZoomVisit['send']>[0])
  }
}
