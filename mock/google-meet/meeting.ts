/** A mock meeting: the words by which a script or a person plays host. */
import type { MockMeeting, MockPerson } from '../types.ts'
import { perform, SHOWABLE } from './actions.ts'
import { MeetingCore } from './meeting-core.ts'
import type { HostPerson } from './page/host-protocol.ts'
import type { Step } from './scenario.ts'

export class GoogleMeetMeeting extends MeetingCore implements MockMeeting {
  /** The platform's id of a person, which a bot reports. */
  deviceOf(id: string): string {
    return this.roster.get(id).device
  }

  /** The contributing source of a person's voice. */
  audioSourceOf(id: string): number {
    return this.roster.get(id).audioCsrc
  }

  personView(id: string): HostPerson {
    const { name, isHost, camera, muted, isSpeaking, shareDevice } = this.roster.get(id)
    return {
      id,
      name,
      isHost: isHost === true,
      camera: camera === true,
      muted: muted === true,
      isSpeaking,
      isSharing: shareDevice !== null,
    }
  }

  whenState(state: string, deadlineMs?: number): Promise<void> {
    return this.states.when(state, () => this.state, deadlineMs)
  }

  // What a host can do.

  admit(): void {
    this.visit('admit').admit()
  }

  deny(): void {
    this.visit('deny').deny()
  }

  remove(): void {
    const visit = this.visit('remove')
    this.feed.selfStatus(7)
    visit.remove()
  }

  addPerson(person: MockPerson): void {
    const added = this.admitPerson(person)
    this.showPeople(added)
    this.toast(`${added.name} joined`)
  }

  removePerson(id: string): void {
    const person = this.dropPerson(id)
    this.feed.left(person)
    this.showPeople()
    this.toast(`${person.name} left`)
  }

  renamePerson(id: string, name: string): void {
    this.truth.renamed(id, name)
    this.change(id, { name })
  }

  setCamera(id: string, on: boolean): void {
    this.change(id, { camera: on })
    this.media.setCamera(id, on)
  }

  startSpeaking(id: string): void {
    this.change(id, { muted: false })
    this.media.room().startSpeaking(id)
  }

  stopSpeaking(id: string): void {
    this.roster.get(id)
    this.media.stopSpeaking(id)
  }

  startSharing(id: string): void {
    if (this.roster.get(id).shareDevice !== null) return
    const media = this.media.room()
    this.change(id, { shareDevice: this.roster.newDevice() })
    media.startSharing(id)
    this.toast(`${this.roster.get(id).name} is presenting`)
  }

  stopSharing(id: string): void {
    const device = this.roster.get(id).shareDevice
    if (device === null) return
    this.media.stopSharing(id)
    this.feed.stoppedSharing(this.roster.get(id), device)
    this.change(id, { shareDevice: null })
  }

  say(id: string, text: string): void {
    const { name, device } = this.roster.get(id)
    const line = { id: this.messageId(), device, at: Date.now(), text }
    this.truth.said(id, name, text, line.at)
    if (!this.current?.isInCall) return
    this.current.send({ do: 'chat', line: { ...line, name } })
    this.feed.chat(line)
  }

  setChatEnabled(enabled: boolean): void {
    this.isChatOn = enabled
    this.current?.send({ do: 'chatEnabled', enabled })
  }

  muteBot(): void {
    this.visit('mute').send({ do: 'devices', microphone: false })
    this.toast('The host muted you')
  }

  loseConnection(): void {
    this.visit('cut off').loseConnection()
  }

  regainConnection(): void {
    this.visit('reconnect').regainConnection()
  }

  show(what: string): void {
    const action = SHOWABLE[what]
    if (!action) throw new Error(`Google Meet cannot show "${what}"; it knows ${Object.keys(SHOWABLE).join(', ')}`)
    action(this.visit(`show ${what} to`))
  }

  flashAndBeep(on: boolean): void {
    this.media.room().flashAndBeep(on)
  }

  async close(): Promise<void> {
    this.stepTimers.clear()
    this.states.close()
    await this.media.close()
  }
  /** A step that no longer fits, since the page or a person is elsewhere by now, is noted and passed over. */
  protected override runStep(step: Step): void {
    try {
      perform(this, step)
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error)
      this.note({ say: 'log', event: 'rpc', target: 'step-skipped', detail })
    }
  }
}
