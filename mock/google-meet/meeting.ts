/** A mock meeting: its people, its truth, and the words by which a script or a person plays host. */
import { randomBytes } from 'node:crypto'
import { MediaRoom, type SpeakingTurn } from '../media/room.ts'
import type { MockLogEntry, MockMeeting, MockMeetingOptions, MockPerson } from '../types.ts'
import { perform, SHOWABLE } from './actions.ts'
import { CaptionWriter } from './caption-writer.ts'
import { MediaLink } from './media-link.ts'
import { MixedSound } from './mixed-sound.ts'
import type { FromPage, PagePerson, PageSettings } from './page/protocol.ts'
import { People, type Person, shownAs } from './people.ts'
import { captionEvent, syncAnswer } from './roster.ts'
import { RosterFeed } from './roster-feed.ts'
import { DEFAULT_PEOPLE, type Scenario, type Step } from './scenarios.ts'
import { DEFAULTS, pageSettings, type ScenarioSettings } from './settings.ts'
import { Timers } from './timers.ts'
import { TruthRecord } from './truth-record.ts'
import { Visit, type VisitMeeting } from './visit.ts'

const FIRST_ROSTER_MS = 300
const DEFAULT_DEADLINE_MS = 30_000
const TOAST_MS = 4000
const MUTE_TOAST = 'The host muted you'

export class GoogleMeetMeeting implements MockMeeting, VisitMeeting {
  readonly code: string
  readonly scenarioName: string
  readonly url: string
  readonly log: MockLogEntry[] = []
  readonly truth: TruthRecord
  readonly settings: ScenarioSettings
  readonly speed: number
  readonly seed: number
  readonly bot: MockMeeting['bot']
  readonly feed: RosterFeed
  /** How often the page's address was asked for. */
  loads = 0
  private readonly lang: string
  private readonly roster: People
  private readonly steps: readonly Step[]
  private readonly stepTimers: Timers
  private readonly captions: CaptionWriter
  private readonly mixedSound: MixedSound
  private readonly stateWatchers = new Set<(state: string) => void>()
  private readonly visits = new Map<string, Visit>()
  private current: Visit | null = null
  private media: MediaRoom | null = null
  private isChatOn: boolean
  private lastMessageId = 0

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
    this.truth = new TruthRecord(() => this.media?.flashes ?? [])
    this.roster = new People(randomBytes(6).toString('base64url'))
    this.captions = new CaptionWriter((caption) => this.onCaption(caption))
    this.mixedSound = new MixedSound((samples) => this.current?.sendSamples(samples))
    this.feed = new RosterFeed({
      people: () => this.roster.all(),
      self: () => this.self(),
      videoStreams: () => this.current?.media.videoStreams() ?? new Map(),
    })
    this.bot = this.botView()
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

  /** The platform's id of a person, which a bot reports. */
  deviceOf(id: string): string {
    return this.roster.get(id).device
  }

  whenState(state: string, deadlineMs = DEFAULT_DEADLINE_MS): Promise<void> {
    if (this.state === state) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.stateWatchers.delete(watch)
        reject(
          new Error(`The page of ${this.scenarioName} is in state ${this.state}, not ${state}, after ${deadlineMs} ms`),
        )
      }, deadlineMs)
      const watch = (entered: string) => {
        if (entered !== state) return
        clearTimeout(timer)
        this.stateWatchers.delete(watch)
        resolve()
      }
      this.stateWatchers.add(watch)
    })
  }

  /** The settings of the page that is about to be served, with a new visit for it. */
  newVisit(): { visit: Visit; page: PageSettings } {
    const visit = new Visit(this, {
      self: this.roster.newDevice(),
      token: randomBytes(12).toString('base64url'),
      isBlocked: this.loads <= this.settings.failedLoads + this.settings.blockedLoads && this.settings.blockedLoads > 0,
      media: (made) => this.mediaLink(made),
    })
    this.visits.set(visit.token, visit)
    const load = { code: this.code, seed: this.seed, speed: this.speed, lang: this.lang }
    const page = pageSettings(this.settings, load)
    if (!this.isChatOn) page.chat = 'off'
    return { visit, page }
  }

  /** The visit of a page that connects; it becomes the one the host deals with. */
  visitOf(token: string): Visit | null {
    return this.visits.get(token) ?? null
  }

  makeCurrent(visit: Visit): void {
    this.current = visit
    this.stepTimers.clear()
  }

  rosterAnswer(): string {
    return syncAnswer(this.feed.users())
  }

  // What the visit asks of its meeting.

  namesInside(): string[] {
    return this.roster.all().map(({ name }) => name)
  }

  peopleFor(self: string, botName: string): PagePerson[] {
    const own: PagePerson = {
      device: self,
      name: botName,
      isSelf: true,
      isHost: false,
      camera: this.current?.cameraOn ?? false,
      muted: !(this.current?.microphoneOn ?? false),
      speaking: false,
      shareDevice: null,
      merged: false,
    }
    return [...this.roster.all().map(shownAs), own]
  }

  note(message: Extract<FromPage, { say: 'log' }>): void {
    const { event, target, trusted, detail } = message
    this.log.push({ at: Date.now(), event, target, trusted, detail })
  }

  /** An address the page was sent to or asked for. */
  navigated(url: string): void {
    this.log.push({ at: Date.now(), event: 'navigate', target: url })
  }

  stateChanged(visit: Visit, state: string): void {
    if (visit !== this.current) return
    this.log.push({ at: Date.now(), event: 'state', target: state })
    if (!visit.isInCall) {
      this.truth.botLeft()
      this.feed.stop()
      this.mixedSound.stop()
    }
    if (!['call', 'consent', 'reconnecting', 'alonePrompt'].includes(state)) this.stepTimers.clear()
    for (const watcher of [...this.stateWatchers]) watcher(state)
    this.runSteps(state)
  }

  private runSteps(state: string): void {
    // Back in the call after a dialog or a lost connection is not a new start.
    const entered = this.log.filter((entry) => entry.event === 'state' && entry.target === state)
    if (state === 'call' && entered.length > 1 && this.truth.admittedAt !== null && this.truth.leftAt === null) return
    for (const step of this.steps) {
      if (step.in === state) this.stepTimers.after(step.afterMs, () => perform(this, step))
    }
  }

  botJoined(visit: Visit): void {
    this.truth.botJoined()
    visit.setAlone(this.roster.all().length === 0)
    if (this.settings.page.audio === 'worklet') this.mixedSound.start()
  }

  chatFromBot(visit: Visit, text: string): void {
    const at = Date.now()
    const isTooLong = [...text].length > 500
    if (!this.isChatOn || isTooLong || !visit.isInCall) {
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

  // What a host can do.

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
    for (const person of this.roster.all()) this.dropPerson(person.id)
  }

  addPerson(person: MockPerson): void {
    const added = this.admitPerson(person)
    this.showPeople(added)
    this.toast(`${added.name} joined`)
  }

  removePerson(id: string): void {
    const person = this.dropPerson(id)
    this.showPeople()
    this.feed.left(person)
    this.toast(`${person.name} left`)
  }

  renamePerson(id: string, name: string): void {
    this.truth.renamed(id, name)
    this.change(id, { name })
  }

  setCamera(id: string, on: boolean): void {
    this.change(id, { camera: on })
    this.media?.setCamera(id, on)
  }

  startSpeaking(id: string): void {
    const person = this.roster.get(id)
    person.muted = false
    this.showPeople(person)
    this.mediaRoom().startSpeaking(id)
  }

  stopSpeaking(id: string): void {
    this.roster.get(id)
    this.media?.stopSpeaking(id)
  }

  startSharing(id: string): void {
    const shareDevice = this.roster.newDevice()
    this.change(id, { shareDevice })
    this.mediaRoom().startSharing(id)
    this.toast(`${this.roster.get(id).name} is presenting`)
  }

  stopSharing(id: string): void {
    const person = this.roster.get(id)
    const device = person.shareDevice
    this.media?.stopSharing(id)
    this.change(id, { shareDevice: null })
    if (device) this.feed.stoppedSharing(person, device)
  }

  say(id: string, text: string): void {
    const person = this.roster.get(id)
    const at = Date.now()
    this.truth.said(id, person.name, text, at)
    const line = { id: this.messageId(), device: person.device, at, text }
    if (!this.current?.isInCall) return
    this.current.send({ do: 'chat', line: { ...line, name: person.name } })
    this.feed.chat(line)
  }

  setChatEnabled(enabled: boolean): void {
    this.isChatOn = enabled
    this.current?.send({ do: 'chatEnabled', enabled })
  }

  muteBot(): void {
    this.visit('mute').send({ do: 'devices', microphone: false })
    this.toast(MUTE_TOAST)
  }

  loseConnection(): void {
    this.visit('lose the connection of').loseConnection()
  }

  regainConnection(): void {
    this.visit('regain the connection of').regainConnection()
  }

  show(what: string): void {
    const action = SHOWABLE[what]
    if (!action) throw new Error(`Google Meet cannot show "${what}"; it knows ${Object.keys(SHOWABLE).join(', ')}`)
    action(this.visit(`show ${what} to`))
  }

  flashAndBeep(on: boolean): void {
    this.mediaRoom().flashAndBeep(on)
  }

  /** Everything the meeting's pages need encoded is there; resolves at once for meetings nobody has joined. */
  async mediaReady(): Promise<void> {
    await this.mediaRoom().ready()
  }

  async close(): Promise<void> {
    this.stepTimers.clear()
    this.captions.stopAll()
    this.mixedSound.stop()
    await this.media?.close()
  }

  private visit(verb: string): Visit {
    if (!this.current?.isOpen) throw new Error(`Cannot ${verb} the bot: no page of ${this.url} is open`)
    return this.current
  }

  private admitPerson(person: MockPerson): Person {
    const isMerged = this.settings.mergedAudio && person.isHost !== true
    const added = this.roster.add(person, isMerged)
    this.truth.joined(added)
    if (this.media) this.addToRoom(added)
    return added
  }

  private dropPerson(id: string): Person {
    this.roster.get(id)
    this.media?.removePerson(id)
    const person = this.roster.remove(id)
    this.captions.stop(id)
    this.truth.left(id)
    return person
  }

  private change(id: string, change: Partial<Person>): void {
    const person = this.roster.get(id)
    Object.assign(person, change)
    this.showPeople(person)
  }

  /** Sends everybody to the page, and the one who changed to its roster channel. */
  private showPeople(changed?: Person): void {
    const visit = this.current
    if (!visit?.isInCall) return
    visit.send({ do: 'people', people: this.peopleFor(visit.self, visit.botName) })
    if (changed) this.feed.changed(changed)
    visit.setAlone(this.roster.all().length === 0)
  }

  private toast(text: string): void {
    if (this.current?.isInCall) this.current.send({ do: 'toast', text, forMs: TOAST_MS })
  }

  private mediaRoom(): MediaRoom {
    if (this.media) return this.media
    const media = new MediaRoom()
    this.media = media
    media.onTurn((turn) => this.onTurn(turn))
    for (const person of this.roster.all()) this.addToRoom(person)
    return media
  }

  private addToRoom({ id, name, audioCsrc, camera, look, shareDevice }: Person): void {
    this.media?.addPerson({ id, name, audioCsrc, camera: camera === true, look })
    if (shareDevice !== null) this.media?.startSharing(id)
  }

  /** A voice began or ended to be sent: that, not the wish for it, is what the page shows and the truth holds. */
  private onTurn(turn: SpeakingTurn): void {
    const person = this.roster.find(turn.personId)
    const name = person?.name ?? this.truth.presence.findLast((entry) => entry.personId === turn.personId)?.name ?? ''
    this.truth.turn(turn.personId, name, turn.startedAt, turn.endedAt)
    if (!person) return
    person.isSpeaking = turn.endedAt === null
    this.mixedSound.setSpeaking(
      this.roster
        .all()
        .filter(({ isSpeaking }) => isSpeaking)
        .map(({ look }) => look),
    )
    const shown = person.isMerged ? this.roster.all().filter(({ isMerged }) => isMerged) : [person]
    for (const { device } of shown) this.current?.send({ do: 'speaking', device, speaking: person.isSpeaking })
    if (person.isSpeaking) this.captions.start(person)
    else this.captions.stop(person.id)
  }

  private onCaption(caption: { device: string; name: string; row: number; version: number; text: string }): void {
    const visit = this.current
    if (!visit?.captionsOn || !visit.isInCall) return
    visit.send({ do: 'caption', device: caption.device, name: caption.name, text: caption.text, row: caption.row })
    visit.media.captions?.send(captionEvent(caption))
  }

  private mediaLink(visit: Visit): MediaLink {
    return new MediaLink({
      room: () => this.mediaRoom(),
      send: (message) => visit.send(message),
      note: (target, detail) => this.note({ say: 'log', event: 'rpc', target, detail }),
      deviceOf: (personId, kind) => {
        const person = this.roster.find(personId)
        return (kind === 'camera' ? person?.device : person?.shareDevice) ?? null
      },
      onCollections: (channel) => {
        const timers = new Timers(this.speed)
        timers.after(FIRST_ROSTER_MS, () => visit.isInCall && this.feed.start(channel))
      },
      onPageMessage: (text) => this.chatFromBot(visit, text),
      sayRemoved: () => this.feed.selfStatus(7),
    })
  }

  private self() {
    const visit = this.current
    return { device: visit?.self ?? '', name: visit?.botName ?? '', microphoneOn: visit?.microphoneOn ?? false }
  }

  private botView(): MockMeeting['bot'] {
    const meeting = this
    return {
      get microphoneOn() {
        return meeting.current?.microphoneOn ?? false
      },
      get cameraOn() {
        return meeting.current?.cameraOn ?? false
      },
      savedCamera: async () => (await meeting.current?.media.savedCamera()) ?? null,
      sent: () => meeting.current?.media.sent() ?? { audioPackets: 0, videoPackets: 0, audioIsSilent: null },
    }
  }

  /** Ids look like milliseconds, as the platform's do, and never repeat. */
  private messageId(): string {
    this.lastMessageId = Math.max(this.lastMessageId + 1, Date.now())
    return String(this.lastMessageId)
  }
}

/** The same scenario looks the same every time unless another seed is asked for. */
function seedOf(name: string): number {
  return [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 65_521, 7)
}
