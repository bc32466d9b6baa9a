/** The core of a mock meeting: its people, its record of events, and the interface for the server and visits. */
import type { MediaRoomOptions, SessionOptions } from '../media/room.ts'
import type { MockLogEntry, MockMeetingOptions, MockPerson } from '../types.ts'
import type { CaptionRow } from './caption-writer.ts'
import { MediaLink } from './media-link.ts'
import { MeetingMedia } from './meeting-media.ts'
import type { MessageExtras } from './page/chat-text.ts'
import { hashOf } from './page/random.ts'
import type { People, Person } from './people.ts'
import type { Scenario, Step } from './scenario.ts'
import { Timeline } from './timeline.ts'
import { TruthRecord } from './truth-record.ts'
import type { MeetingVisit, VisitHost } from './visit.ts'

const DEFAULT_DEADLINE_MS = 30_000

class StateWatch {
  private readonly waiting = new Set<{ state: string; settle(error?: Error): void }>()
  private last = 'none'

  /** Resolves at once or when the state is entered; rejects after the deadline. */
  when(state: string, current: () => string, deadlineMs = DEFAULT_DEADLINE_MS): Promise<void> {
    if (current() === state) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        entry.settle(new Error(`The page is in state ${current()}, not ${state}, after ${deadlineMs} ms`))
      }, deadlineMs)
      const entry = {
        state,
        settle: (error?: Error) => {
          clearTimeout(timer)
          this.waiting.delete(entry)
          if (error) reject(error)
          else resolve()
        },
      }
      this.waiting.add(entry)
    })
  }

  /** Resolves the waiting promises. */
  enter(state: string): void {
    this.last = state
    for (const entry of [...this.waiting]) if (entry.state === state) entry.settle()
  }

  close(): void {
    for (const entry of [...this.waiting]) entry.settle(new Error(`The mock was closed in state ${this.last}`))
  }
}

export interface MeetingPlan<P extends Person> {
  code: string
  url: string
  scenarioName: string
  scenario: Scenario
  options: MockMeetingOptions
  people: People<P>
  /** Who is inside when neither the options nor the scenario name people. */
  usualPeople: readonly MockPerson[]
  isChatOn: boolean
  /** In characters; the platform refuses longer messages. */
  longestMessage: number
  room?: MediaRoomOptions
  session?: SessionOptions
}

export interface ChatLine extends MessageExtras {
  id: string
  /** Null for the bot's own. */
  personId: string | null
  name: string
  text: string
  /** UTC milliseconds. */
  at: number
  reactions?: { emoji: string; personIds: string[] }[]
}

export type ChatChange = 'edited' | 'deleted' | 'reaction'

interface Shows<V> {
  show(visit: V): void
}

/**
 * The names that `show` accepts. Typed as a method, so that the meeting of one platform is assignable to any meeting.
 */
export type Showable<V> = Readonly<Record<string, Shows<V>['show']>>

export abstract class MeetingCore<P extends Person, V extends MeetingVisit> implements VisitHost {
  readonly code: string
  readonly url: string
  readonly scenarioName: string
  readonly log: MockLogEntry[] = []
  readonly truth: TruthRecord
  readonly speed: number
  readonly seed: number
  readonly lang: string
  readonly bot = this.botView()
  protected readonly roster: People<P>
  protected readonly media: MeetingMedia
  protected isChatOn: boolean
  /** The visit the host deals with: that of the page that opened its socket last. */
  protected current: V | null = null
  private readonly plan: MeetingPlan<P>
  private readonly visits = new Map<string, V>()
  private readonly states = new StateWatch()
  private readonly timeline: Timeline
  protected readonly lines = new Map<string, ChatLine>()
  private lastMessageId = 0
  /** The state of a document that is no visit; null while a visit decides the state. */
  private documentState: string | null = null

  constructor(plan: MeetingPlan<P>) {
    const { code, url, scenarioName, scenario, options, people } = plan
    this.plan = plan
    this.code = code
    this.url = url
    this.scenarioName = scenarioName
    this.speed = options.speed ?? 1
    // The same scenario looks the same every time unless another seed is asked for.
    this.seed = options.seed ?? hashOf(scenarioName) % 65_521
    this.lang = options.lang ?? 'en'
    this.isChatOn = plan.isChatOn
    this.roster = people
    const { hostReady } = options
    this.timeline = new Timeline(scenario.timeline ?? [], (step) => this.runStep(step), {
      speed: this.speed,
      hostReady,
    })
    this.truth = new TruthRecord(() => this.media.flashes)
    this.media = new MeetingMedia(
      people,
      this.truth,
      { ...plan.room, ...options.media },
      {
        onSpeaking: (person) => this.whenInCall((visit) => this.showSpeaking(visit, person as P)),
        onCaption: (caption) => this.whenInCall((visit) => this.captionSpoken(visit, caption)),
        onSamples: (samples) => this.current?.sendSamples(samples),
      },
    )
    for (const person of options.people ?? scenario.people ?? plan.usualPeople) this.enterPerson(person)
  }

  // Messages of a platform to its page. The first four are called only while the bot is in the call.

  /** A person came, went or changed. `changed` is that person, unless they went. */
  protected abstract showPeople(visit: V, changed?: P): void
  /** `person.isSpeaking` has just changed. */
  protected abstract showSpeaking(visit: V, person: P): void
  protected abstract showChat(visit: V, line: ChatLine): void
  protected captionSpoken(_visit: V, _caption: CaptionRow): void {}
  /** Edited, deleted or reacted to; called on platforms that know such a thing only. */
  protected showChatChange(_visit: V, _line: ChatLine, _change: ChatChange): void {}
  protected showReaction(_visit: V, _person: P, _emoji: string): void {}
  /** `person.isHandRaised` has just changed. */
  protected showHand(_visit: V, _person: P): void {}
  protected abstract showChatEnabled(visit: V, enabled: boolean): void
  protected abstract readonly showable: Showable<V>
  /** The page's own word for a person's camera or presentation. */
  protected abstract sourceOf(person: P, kind: 'camera' | 'screen'): string | null
  protected personCame(_person: P): void {}
  protected personWent(_person: P): void {}
  /** Called before the change. */
  protected sharingChanges(_person: P, _isSharing: boolean): void {}
  protected botMuted(_visit: V): void {}
  /** `visit.screenOn` has just changed. */
  protected showBotScreen(_visit: V): void {}
  protected botEntered(_visit: V): void {}
  protected botWentOut(_visit: V): void {}
  /** The media of a new visit; a platform with data channels makes its own kind. */
  protected newMediaLink(visit: V): MediaLink {
    return new MediaLink(this.linkPorts(visit))
  }

  // For tests and the host's page.

  get people(): readonly MockPerson[] {
    return this.roster.all().map(({ id, name, isHost, camera, muted }) => ({ id, name, isHost, camera, muted }))
  }

  /** The state of the client page, as the platform's state machine names it (such as `lobby` or `call`). */
  get state(): string {
    return this.documentState ?? this.current?.state ?? 'none'
  }

  /** As typed by the bot; null before it asked to join. */
  get botName(): string | null {
    return this.current?.botName || null
  }

  get phase(): 'before' | 'waiting' | 'call' | 'over' {
    const visit = this.current
    if (!visit?.isOpen) return visit ? 'over' : 'before'
    if (visit.isWaiting) return 'waiting'
    return visit.isInCall ? 'call' : visit.isOver ? 'over' : 'before'
  }

  personView(id: string): Readonly<P> {
    return this.roster.get(id)
  }

  get words(): readonly string[] {
    return Object.keys(this.showable)
  }

  /** Resolves when the page is in this state; rejects after `deadlineMs` naming the state it is in. */
  whenState(state: string, deadlineMs?: number): Promise<void> {
    return this.states.when(state, () => this.state, deadlineMs)
  }

  /** The open page asks to join without input in its form: for tests of the page after the join request. */
  askToJoin(botName: string): void {
    this.visit('ask to join for').askToJoin(botName)
  }

  // For the server.

  protected addVisit(visit: V): V {
    this.visits.set(visit.token, visit)
    return visit
  }

  visitOf(token: string): V | undefined {
    return this.visits.get(token)
  }

  /** The visit of a page that connects becomes the one the host deals with. */
  makeCurrent(token: string): void {
    const visit = this.visits.get(token)
    this.documentState = null
    if (!visit || visit === this.current) return
    this.current = visit
    this.timeline.forget()
  }

  /** The page is a document without a visit, such as an error or a sign-in page. */
  enterState(state: string): void {
    this.documentState = state
    this.note({ event: 'state', target: state })
    this.states.enter(state)
    this.timeline.enter(state)
  }

  /** An address the page asked for. */
  navigated(url: string): void {
    this.note({ event: 'navigate', target: url })
  }

  // For a visit.

  note(entry: Omit<MockLogEntry, 'at'>): void {
    this.log.push({ at: Date.now(), ...entry })
  }

  stateChanged(visit: MeetingVisit, state: string): void {
    if (visit !== this.current) return
    if (!visit.isInCall) {
      this.truth.botLeft()
      this.media.stopMix()
      this.botWentOut(this.current)
    }
    if (visit.isOver || state === 'closed') this.timeline.forget()
    // The close of a visit's page is ignored once another document is there.
    if (this.documentState !== null && !visit.isOpen) return
    this.documentState = null
    this.note({ event: 'state', target: state })
    this.states.enter(state)
    this.timeline.enter(state)
  }

  botJoined(visit: MeetingVisit): void {
    this.truth.botJoined()
    visit.setAlone(this.roster.all().length === 0)
    if (visit === this.current) this.botEntered(this.current)
  }

  screenChanged(visit: MeetingVisit): void {
    if (visit === this.current && visit.isInCall) this.showBotScreen(this.current)
  }

  chatFromBot(visit: MeetingVisit, text: string): void {
    const isRefused = !this.isChatOn || [...text].length > this.plan.longestMessage || !visit.isInCall
    this.note({ event: 'chat', target: isRefused ? 'refused' : 'sent', detail: text })
    if (isRefused || visit !== this.current) return
    const line = { id: this.messageId(), personId: null, name: visit.botName, text, at: Date.now() }
    this.lines.set(line.id, line)
    this.truth.said(null, line.name, text, line.at)
    this.showChat(this.current, line)
  }

  abstract endedByBot(): void

  mediaLink(visit: MeetingVisit): MediaLink {
    return this.newMediaLink(visit as V)
  }

  protected linkPorts(visit: V): ConstructorParameters<typeof MediaLink>[0] {
    return {
      room: () => this.media.room(),
      send: (message) => visit.send(message),
      note: (target, detail) => this.note({ event: 'rpc', target, detail }),
      sourceOf: (personId, kind) => {
        const person = this.roster.find(personId)
        return person ? this.sourceOf(person, kind) : null
      },
      session: this.plan.session,
    }
  }

  async close(): Promise<void> {
    this.timeline.forget()
    this.states.close()
    await this.media.close()
  }

  // For platforms.

  /** The open visit; throws if no page is there for the verb. */
  protected visit(verb: string): V {
    if (!this.current?.isOpen) throw new Error(`Cannot ${verb} the bot: no page of ${this.url} is open`)
    return this.current
  }

  protected whenInCall(send: (visit: V) => void): void {
    if (this.current?.isInCall) send(this.current)
  }

  protected change(id: string, change: (person: P) => void): void {
    const person = this.roster.get(id)
    change(person)
    this.peopleChanged(person)
  }

  protected peopleChanged(changed?: P): void {
    this.whenInCall((visit) => {
      this.showPeople(visit, changed)
      visit.setAlone(this.roster.all().length === 0)
    })
  }

  /** Ids look like milliseconds, as platforms' do, and never repeat. */
  protected messageId(): string {
    this.lastMessageId = Math.max(this.lastMessageId + 1, Date.now())
    return String(this.lastMessageId)
  }

  protected enterPerson(person: MockPerson): P {
    const added = this.roster.add(person)
    this.truth.joined(added)
    this.media.addPerson(added)
    return added
  }

  protected dropPerson(id: string): P {
    const person = this.roster.remove(id)
    this.media.removePerson(id)
    this.truth.left(id)
    return person
  }

  /** Does one step of the scenario's timeline. */
  protected abstract runStep(step: Step): void

  private botView() {
    const current = () => this.current
    return {
      get microphoneOn() {
        return current()?.microphoneOn ?? false
      },
      get cameraOn() {
        return current()?.cameraOn ?? false
      },
      /** Sound and pictures of the meeting reach the page; false again ten seconds after its last packet. */
      get isConnected() {
        return current()?.media.isConnected() ?? false
      },
      /** The last seconds of the bot's camera, or of the screen that it shares, as IVF or WebM; null if there are none. */
      savedCamera: async (of?: 'camera' | 'screen') => (await current()?.media.savedCamera(of)) ?? null,
      /** Whether the bot shares a screen. */
      get screenOn() {
        return current()?.screenOn ?? false
      },
      /** When the pictures of `savedCamera` came, in milliseconds of `performance.now`. */
      cameraTimes: () => current()?.media.cameraTimes() ?? [],
      /** The last seconds of the bot's microphone as packets of Opus, with when they came. */
      savedVoice: () => current()?.media.savedVoice() ?? [],
      sent: () => current()?.media.sent() ?? { audioPackets: 0, videoPackets: 0, audioIsSilent: null },
    }
  }
}
