/** A mock meeting of any platform, with the actions of a script or a person who plays host. */
import { messageOf } from '@standin/wire/text/error-text.ts'
import type { MockMeeting, MockMessageParts, MockPerson } from '../types.ts'
import type { AccessModes } from './access-modes.ts'
import { type ChatChange, type ChatLine, MeetingCore } from './meeting-core.ts'
import type { Person } from './people.ts'
import type { Step } from './scenario.ts'
import type { MeetingVisit } from './visit.ts'

/** Runs one step of a timeline. Throws if it does not fit: its person left, or the page is in another state. */
function perform(meeting: MockMeeting, step: Step): void {
  const [first = '', second = ''] = step.with ?? []
  const steps: Record<Step['do'], () => void> = {
    admit: () => meeting.admit(),
    deny: () => meeting.deny(),
    endForAll: () => meeting.endForAll(),
    addPerson: () => meeting.addPerson({ id: first, name: second, camera: true }),
    startSpeaking: () => meeting.startSpeaking(first),
    stopSpeaking: () => meeting.stopSpeaking(first),
    say: () => meeting.say(first, second),
    show: () => meeting.show(first),
  }
  steps[step.do]()
}

export type { ChatChange, ChatLine } from './meeting-core.ts'

export abstract class Meeting<P extends Person = Person, V extends MeetingVisit = MeetingVisit> extends MeetingCore<
  P,
  V
> {
  abstract readonly settings: object
  protected abstract readonly accessModes: AccessModes<object>
  /** As the scenario has them. */
  private firstSettings: object | null = null

  admit(): void {
    this.visit('admit').admit()
  }

  deny(): void {
    this.visit('deny').deny()
  }

  remove(): void {
    this.visit('remove').remove()
  }

  endForAll(): void {
    this.current?.endForAll()
    for (const { id } of this.roster.all()) this.dropPerson(id)
  }

  addPerson(person: MockPerson): void {
    const added = this.enterPerson(person)
    this.peopleChanged(added)
    this.personCame(added)
  }

  removePerson(id: string): void {
    const person = this.dropPerson(id)
    this.personWent(person)
    this.peopleChanged()
  }

  renamePerson(id: string, name: string): void {
    this.truth.renamed(id, name)
    this.change(id, (person) => {
      person.name = name
    })
  }

  setCamera(id: string, on: boolean): void {
    this.change(id, (person) => {
      person.camera = on
    })
    this.media.setCamera(id, on)
  }

  startSpeaking(id: string): void {
    this.unmute(id)
    this.media.room().startSpeaking(id)
  }

  stopSpeaking(id: string): void {
    this.roster.get(id)
    this.media.stopSpeaking(id)
  }

  /** Lets the person speak a sound file once; resolves when it is over. */
  async playVoice(id: string, file: string): Promise<void> {
    this.unmute(id)
    await this.media.room().playVoice(id, file)
  }

  private unmute(id: string): void {
    this.change(id, (person) => {
      person.muted = false
    })
  }

  startSharing(id: string): void {
    const person = this.roster.get(id)
    if (person.isSharing) return
    const room = this.media.room()
    this.sharingChanges(person, true)
    this.change(id, () => {
      person.isSharing = true
    })
    room.startSharing(id)
  }

  stopSharing(id: string): void {
    const person = this.roster.get(id)
    if (!person.isSharing) return
    this.media.stopSharing(id)
    this.sharingChanges(person, false)
    this.change(id, () => {
      person.isSharing = false
    })
  }

  /** From now on only hosts may share a screen. */
  forbidScreens(): void {
    this.whenInCall((visit) => visit.send({ do: 'allowScreen', isAllowed: false }))
  }

  stopBotScreen(): void {
    this.whenInCall((visit) => visit.send({ do: 'stopScreen' }))
  }

  /** Returns the message's id, for later changes. */
  say(id: string, text: string, parts: MockMessageParts = {}): string {
    const { name } = this.roster.get(id)
    const line: ChatLine = { id: this.messageId(), personId: id, name, text, at: Date.now(), ...parts }
    this.lines.set(line.id, line)
    this.truth.said(id, name, text, line.at)
    this.whenInCall((visit) => this.showChat(visit, line))
    return line.id
  }

  /** The last message that is not the bot's and not deleted. */
  get lastMessage(): ChatLine | undefined {
    return [...this.lines.values()].findLast(({ personId, isDeleted }) => personId !== null && !isDeleted)
  }

  editMessage(messageId: string, text: string): void {
    this.changeLine(messageId, 'edited', (line) => {
      line.text = text
      line.isEdited = true
    })
  }

  deleteMessage(messageId: string): void {
    this.changeLine(messageId, 'deleted', (line) => {
      line.text = ''
      line.isDeleted = true
    })
  }

  /** On a message, or if none is named in the meeting, for all to see. */
  react(id: string, emoji: string, messageId?: string): void {
    const person = this.roster.get(id)
    if (messageId === undefined) {
      this.whenInCall((visit) => this.showReaction(visit, person, emoji))
      return
    }
    this.changeLine(messageId, 'reaction', (line) => {
      line.reactions ??= []
      const known = line.reactions.find((reaction) => reaction.emoji === emoji)
      if (known) known.personIds.push(id)
      else line.reactions.push({ emoji, personIds: [id] })
    })
  }

  raiseHand(id: string, isRaised: boolean): void {
    const person = this.roster.get(id)
    person.isHandRaised = isRaised
    this.whenInCall((visit) => this.showHand(visit, person))
  }

  private changeLine(messageId: string, what: ChatChange, change: (line: ChatLine) => void): void {
    const line = this.lines.get(messageId)
    if (!line) throw new Error(`There is no message ${messageId}`)
    change(line)
    this.whenInCall((visit) => this.showChatChange(visit, line, what))
  }

  setChatEnabled(enabled: boolean): void {
    this.isChatOn = enabled
    if (this.current) this.showChatEnabled(this.current, enabled)
  }

  muteBot(): void {
    const visit = this.visit('mute')
    visit.send({ do: 'devices', microphone: false })
    this.botMuted(visit)
  }

  loseConnection(): void {
    this.visit('cut off').loseConnection()
  }

  regainConnection(): void {
    this.visit('reconnect').regainConnection()
  }

  /** Runs an action of the platform, such as `consent` or `alone-prompt`; throws for a word the platform does not know. */
  show(what: string): void {
    const action = this.showable[what]
    if (!action) throw new Error(`This platform cannot show "${what}"; it knows ${this.words.join(', ')}`)
    action(this.visit(`show ${what} to`))
  }

  /** From the next join request on; throws for an access mode that the platform does not have. */
  setAccess(name: string): void {
    const access = this.accessModes[name]
    if (!access)
      throw new Error(`There is no access mode "${name}"; there are ${Object.keys(this.accessModes).join(', ')}`)
    this.firstSettings ??= { ...this.settings }
    Object.assign(this.settings, this.firstSettings, access.settings)
  }

  get accessNames(): readonly string[] {
    return Object.keys(this.accessModes)
  }

  flashAndBeep(on: boolean): void {
    this.media.room().flashAndBeep(on)
  }

  override endedByBot(): void {
    this.endForAll()
  }

  /** A step that no longer fits, because the page or a person has changed, is noted and skipped. */
  protected override runStep(step: Step): void {
    try {
      perform(this, step)
    } catch (error) {
      const detail = messageOf(error)
      this.note({ event: 'rpc', target: 'step-skipped', detail })
    }
  }
}
