/** The inside of a mock meeting: its people and truth, and what the server and the page's visits ask of it. */
import { randomBytes } from 'node:crypto'
import type { MockLogEntry, MockMeeting, MockMeetingOptions, MockPerson } from '../types.ts'
import { FINAL_VIEWS } from './final-states.ts'
import { MediaLink } from './media-link.ts'
import { MeetingMedia } from './meeting-media.ts'
import { hashOf } from './page/dom.ts'
import type { FromPage, PagePerson, PageSettings } from './page/protocol.ts'
import { People, type Person, shownAs } from './people.ts'
import { syncAnswer } from './roster.ts'
import { RosterFeed } from './roster-feed.ts'
import { DEFAULT_PEOPLE, type Scenario, type Step } from './scenario.ts'
import { DEFAULTS, pageSettings, type ScenarioSettings } from './settings.ts'
import { StateWatch } from './state-watch.ts'
import { Timers } from './timers.ts'
import { TruthRecord } from './truth-record.ts'
import { Visit } from './visit.ts'
import type { VisitMeeting } from './visit-types.ts'

const FIRST_ROSTER_MS = 300
const TOAST_MS = 4000
const LONGEST_MESSAGE = 500

export abstract class MeetingCore implements VisitMeeting {
  readonly code: string
  readonly scenarioName: string
  readonly url: string
  readonly log: MockLogEntry[] = []
  readonly truth: TruthRecord
  readonly settings: ScenarioSettings
  readonly speed: number
  readonly seed: number
  readonly bot: MockMeeting['bot']
  /** How often the page's address was asked for. */
  loads = 0
  protected readonly lang: string
  protected readonly roster: People
  protected readonly feed: RosterFeed
  protected readonly media: MeetingMedia
  protected readonly steps: readonly Step[]
  protected readonly stepTimers: Timers
  protected readonly states = new StateWatch()
  /** States whose steps are under way in this visit. */
  private readonly begun = new Set<string>()
  protected readonly visits = new Map<string, Visit>()
  protected current: Visit | null = null
  protected isChatOn: boolean
  protected lastMessageId = 0

  constructor(code: string, scenarioName: string, scenario: Scenario, options: MockMeetingOptions) {
    this.code = code
    this.scenarioName = scenarioName
    this.url = `https://meet.google.com/${code}`
    this.settings = { ...DEFAULTS, ...scenario.settings, page: { ...scenario.settings?.page } }
    this.speed = options.speed ?? 1
    this.seed = options.seed ?? seedOf(scenarioName)
    this.lang = options.lang ?? 'en'
    if (options.lang) this.settings.page.lang = options.lang
    this.steps = scenario.timeline ?? []
    this.stepTimers = new Timers(this.speed)
    this.isChatOn = this.settings.page.chat !== 'off'
    this.truth = new TruthRecord(() => this.media.flashes)
    this.roster = new People(randomBytes(6).toString('base64url'))
    this.media = new MeetingMedia(this.roster, this.truth, () => this.current)
    this.feed = new RosterFeed({
      people: () => this.roster.all(),
      self: () => ({ device: this.current?.self ?? '', name: this.current?.botName ?? '' }),
      videoStreams: () => this.current?.media.videoStreams() ?? new Map(),
    })
    this.bot = botOf(() => this.current)
    for (const person of options.people ?? scenario.people ?? DEFAULT_PEOPLE) this.admitPerson(person)
  }

  get people(): readonly MockPerson[] {
    return this.roster.all().map(({ id, name, isHost, camera, muted }) => ({ id, name, isHost, camera, muted }))
  }

  get state(): string {
    return this.current?.state ?? 'none'
  }

  get botName(): string | null {
    return this.current?.botName || null
  }

  // What the server asks.

  /** The settings of the page that is about to be served, with a new visit for it. */
  newVisit(): { visit: Visit; page: PageSettings } {
    const { blockedLoads, failedLoads } = this.settings
    const visit = new Visit(this, {
      self: this.roster.newDevice(),
      token: randomBytes(12).toString('base64url'),
      isBlocked: this.loads <= failedLoads + blockedLoads && blockedLoads > 0,
      media: (made) => this.mediaLink(made),
    })
    this.visits.set(visit.token, visit)
    const load = { code: this.code, seed: this.seed, speed: this.speed, lang: this.lang }
    const page = pageSettings(this.settings, load)
    return { visit, page: this.isChatOn ? page : { ...page, chat: 'off' } }
  }

  hasVisit(token: string): boolean {
    return this.visits.has(token)
  }

  /** The visit of a page that connects becomes the one the host deals with. */
  makeCurrent(visit: Visit): void {
    this.current = visit
    this.forgetSteps()
  }

  rosterAnswer(): string {
    return syncAnswer(this.feed.users())
  }

  /** An address the page asked for. */
  navigated(url: string): void {
    this.log.push({ at: Date.now(), event: 'navigate', target: url })
  }

  // What a visit asks.

  namesInside(): string[] {
    return this.roster.all().map(({ name }) => name)
  }

  peopleFor(self: string, botName: string): PagePerson[] {
    const own: PagePerson = {
      device: self,
      name: botName,
      isSelf: true,
      isHost: false,
      camera: this.bot.cameraOn,
      muted: !this.bot.microphoneOn,
      speaking: false,
      shareDevice: null,
      merged: false,
    }
    return [...this.roster.all().map(shownAs), own]
  }

  note({ event, target, trusted, detail }: Extract<FromPage, { say: 'log' }>): void {
    this.log.push({ at: Date.now(), event, target, trusted, detail })
  }

  stateChanged(visit: Visit, state: string): void {
    if (visit !== this.current) return
    this.log.push({ at: Date.now(), event: 'state', target: state })
    if (!visit.isInCall) {
      this.truth.botLeft()
      this.feed.stop()
      this.media.stopMix()
    }
    // What waits for its time goes on until the visit is over; what happened once does not happen again.
    if (state === 'closed' || state in FINAL_VIEWS) this.forgetSteps()
    this.states.enter(state)
    if (this.begun.has(state)) return
    this.begun.add(state)
    for (const step of this.steps) {
      if (step.in === state) this.stepTimers.after(step.afterMs, () => this.runStep(step))
    }
  }

  private forgetSteps(): void {
    this.stepTimers.clear()
    this.begun.clear()
  }

  protected abstract runStep(step: Step): void

  botJoined(visit: Visit): void {
    this.truth.botJoined()
    visit.setAlone(this.roster.all().length === 0)
    if (this.settings.page.audio === 'worklet') this.media.startMix()
  }

  chatFromBot(visit: Visit, text: string): void {
    const at = Date.now()
    if (!this.isChatOn || [...text].length > LONGEST_MESSAGE || !visit.isInCall) {
      this.log.push({ at, event: 'chat', target: 'refused', detail: text })
      return
    }
    this.log.push({ at, event: 'chat', target: 'sent', detail: text })
    this.truth.said(null, visit.botName, text, at)
    const id = this.messageId()
    visit.send({ do: 'chat', line: { id, device: null, name: visit.botName, text, at } })
    this.feed.chat({ id, device: visit.self, at, text })
  }

  endedByBot(): void {
    this.endForAll()
  }

  endForAll(): void {
    this.current?.endForAll()
    for (const person of this.roster.all()) this.dropPerson(person.id)
  }

  protected visit(verb: string): Visit {
    if (!this.current?.isOpen) throw new Error(`Cannot ${verb} the bot: no page of ${this.url} is open`)
    return this.current
  }

  protected admitPerson(person: MockPerson): Person {
    const added = this.roster.add(person, this.settings.mergedAudio && person.isHost !== true)
    this.truth.joined(added)
    this.media.addPerson(added)
    return added
  }

  protected dropPerson(id: string): Person {
    const person = this.roster.remove(id)
    this.media.removePerson(id)
    this.truth.left(id)
    return person
  }

  protected change(id: string, change: Partial<Person>): void {
    const person = this.roster.get(id)
    Object.assign(person, change)
    this.showPeople(person)
  }

  /** Sends everybody to the page, and the one who changed to its roster channel. */
  protected showPeople(changed?: Person): void {
    const visit = this.current
    if (!visit?.isInCall) return
    visit.send({ do: 'people', people: this.peopleFor(visit.self, visit.botName) })
    if (changed) this.feed.changed(changed)
    visit.setAlone(this.roster.all().length === 0)
  }

  protected toast(text: string): void {
    if (this.current?.isInCall) this.current.send({ do: 'toast', text, forMs: TOAST_MS })
  }

  private mediaLink(visit: Visit): MediaLink {
    return new MediaLink({
      room: () => this.media.room(),
      send: (message) => visit.send(message),
      note: (target, detail) => this.note({ say: 'log', event: 'rpc', target, detail }),
      deviceOf: (personId, kind) => {
        const person = this.roster.find(personId)
        return (kind === 'camera' ? person?.device : person?.shareDevice) ?? null
      },
      onCollections: (channel) => {
        new Timers(this.speed).after(FIRST_ROSTER_MS, () => {
          if (visit.isInCall && visit === this.current) this.feed.start(channel)
        })
      },
      onPageMessage: (text) => this.chatFromBot(visit, text),
    })
  }

  /** Ids look like milliseconds, as the platform's do, and never repeat. */
  protected messageId(): string {
    this.lastMessageId = Math.max(this.lastMessageId + 1, Date.now())
    return String(this.lastMessageId)
  }
}

function botOf(current: () => Visit | null): MockMeeting['bot'] {
  return {
    get microphoneOn() {
      return current()?.microphoneOn ?? false
    },
    get cameraOn() {
      return current()?.cameraOn ?? false
    },
    savedCamera: async () => (await current()?.media.savedCamera()) ?? null,
    sent: () => current()?.media.sent() ?? { audioPackets: 0, videoPackets: 0, audioIsSilent: null },
  }
}

/** The same scenario looks the same every time unless another seed is asked for. */
function seedOf(name: string): number {
  return hashOf(name) % 65_521
}
