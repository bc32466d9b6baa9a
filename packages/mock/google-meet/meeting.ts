/** A mock Google Meet meeting: sends people, speakers and chat to its page and its roster channel. */

import type { DataChannelLike, MediaSession } from '../media/room.ts'
import type { VisitAccount } from '../shared/accounts.ts'
import type { CaptionRow } from '../shared/caption-writer.ts'
import { MediaLink, type MediaLinkPorts } from '../shared/media-link.ts'
import { type ChatLine, Meeting } from '../shared/meeting.ts'
import { Timers } from '../shared/timers.ts'
import type { MeetingVisit } from '../shared/visit.ts'
import type { MockMeetingOptions } from '../types.ts'
import { ACCESS_MODES } from './access-modes.ts'
import { MARKETING } from './final-states.ts'
import type { PagePerson, PageSettings } from './page/protocol.ts'
import { Devices, newPeople, type Person, shownAs } from './people.ts'
import { captionEvent, syncAnswer } from './roster.ts'
import { RosterFeed } from './roster-feed.ts'
import { DEFAULT_PEOPLE, type Scenario } from './scenario.ts'
import { DEFAULTS, pageSettings, type ScenarioSettings } from './settings.ts'
import { GoogleMeetVisit } from './visit.ts'

interface ChannelPorts {
  /** Called when the channel for the roster is there. */
  onCollections(channel: DataChannelLike): void
  onPageMessage(text: string): void
}

class GoogleMeetMediaLink extends MediaLink {
  captions: DataChannelLike | null = null

  constructor(ports: MediaLinkPorts, channels: ChannelPorts) {
    let collections: DataChannelLike | null = null
    super({
      ...ports,
      session: { streamId: ({ index, kind }) => streamId(kind, index) },
      opened: (session: MediaSession) => {
        session.onChannel((label, channel) => {
          if (label === 'captions') this.captions = channel
          if (label === 'meet_messages') channel.onMessage((data) => channels.onPageMessage(String(data)))
        })
        collections = session.openChannel('collections')
      },
      answered: () => {
        if (collections) channels.onCollections(collections)
      },
      closed: () => {
        collections = null
        this.captions = null
      },
    })
  }
}

/** Streams of the real platform have numeric ids. */
function streamId(kind: 'audio' | 'video', index: number): string {
  return String((kind === 'audio' ? 6_000_000 : 7_000_000) + 101 * index)
}

const FREEZE_MS = 30_000

const SHOWABLE: Record<string, (visit: GoogleMeetVisit) => void> = {
  consent: (visit) => visit.askConsent(),
  'gemini-pill': (visit) => visit.send({ do: 'pill', text: 'Gemini is taking notes' }),
  'alone-prompt': (visit) => visit.askWhetherAlone(),
  'got-it': (visit) => visit.send({ do: 'dialog', dialog: 'got-it' }),
  'breakout-invitation': (visit) => visit.send({ do: 'dialog', dialog: 'breakout' }),
  'breakout-rooms': (visit) => visit.send({ do: 'toast', text: 'Breakout rooms are open', forMs: 5000 }),
  'breakout-rooms-closed': (visit) => visit.send({ do: 'toast', text: 'Breakout rooms are closing', forMs: 5000 }),
  'talking-while-muted': (visit) => visit.send({ do: 'toast', text: 'Are you talking? Your mic is off.', forMs: 5000 }),
  'ending-soon': (visit) => visit.send({ do: 'toast', text: 'Your call is ending soon', forMs: 60_000 }),
  'only-one': (visit) => visit.send({ do: 'toast', text: "You're the only one here", forMs: 10_000 }),
  'own-decoder': (visit) => visit.send({ do: 'decode', own: true }),
  'browser-decoder': (visit) => visit.send({ do: 'decode', own: false }),
  'replace-captions': (visit) => visit.send({ do: 'replaceCaptions' }),
  freeze: (visit) => visit.send({ do: 'freeze', ms: FREEZE_MS }),
  'off-site': (visit) => visit.navigate(MARKETING),
  'everyone-left': (visit) => visit.finish('everyoneLeft'),
  'other-words': (visit) => visit.finish('hostEnded', 'otherWords'),
  'left-elsewhere': (visit) => visit.finish('left'),
  'signed-out': (visit) => visit.signOut('https://accounts.google.com/v3/signin/identifier'),
  blocked: (visit) => visit.finish('blocked'),
  unverified: (visit) => visit.finish('unverified'),
  lobby: (visit) => visit.backToLobby(),
  // The page has no time to show the waiting room.
  'denied-after-all': (visit) => visit.finish('denied'),
}

const FIRST_ROSTER_MS = 300
const TOAST_MS = 4000
const MAX_MESSAGE_LENGTH = 500
/** Cameras of a large meeting, in the three sizes of a browser's simulcast. */
const HEAVY_PICTURES = { width: 1280, height: 720, layers: 3, moves: true }
/** A participant who was denied so often cannot ask in this meeting any more. */
const DENIALS_UNTIL_BLOCK = 2

export class GoogleMeetMeeting extends Meeting<Person, GoogleMeetVisit> {
  readonly settings: ScenarioSettings
  /** How often the page's address was asked for. */
  loads = 0
  protected readonly showable = SHOWABLE
  protected readonly accessModes = ACCESS_MODES
  private denials = 0
  private readonly devices: Devices
  private readonly feed: RosterFeed

  constructor(code: string, scenarioName: string, scenario: Scenario, options: MockMeetingOptions) {
    const settings = { ...DEFAULTS, ...scenario.settings, page: { ...scenario.settings?.page } }
    const devices = new Devices()
    super({
      code,
      url: `https://meet.google.com/${code}`,
      scenarioName,
      scenario,
      options,
      people: newPeople(devices, settings.mergedAudio),
      usualPeople: DEFAULT_PEOPLE,
      isChatOn: settings.page.chat !== 'off',
      longestMessage: MAX_MESSAGE_LENGTH,
      ...(settings.page.heavy ? { room: HEAVY_PICTURES } : {}),
    })
    this.settings = settings
    this.devices = devices
    if (options.lang) this.settings.page.lang = options.lang
    this.feed = new RosterFeed({
      people: () => this.roster.all(),
      self: () => ({ device: this.current?.self ?? '', name: this.current?.botName ?? '' }),
      videoStreams: () => this.current?.media.videoStreams() ?? new Map(),
    })
  }

  /** The platform's id of a person, which a bot reports. */
  deviceOf(id: string): string {
    return this.roster.get(id).device
  }

  /** The contributing source of a person's voice. */
  audioSourceOf(id: string): number {
    return this.roster.get(id).audioCsrc
  }

  // For the server.

  /** The settings of the page that is about to be served, with a new visit for it. */
  newVisit(account: VisitAccount | null = null): { visit: GoogleMeetVisit; page: PageSettings } {
    const isBlocked = this.settings.isBlocked || this.denials >= DENIALS_UNTIL_BLOCK
    const visit = this.addVisit(new GoogleMeetVisit(this, { self: this.devices.next(), isBlocked }))
    visit.account = account
    const load = { code: this.code, seed: this.seed, speed: this.speed, lang: this.lang }
    const own = pageSettings(this.settings, load)
    const joinLabels = this.settings.accountsAreInvited ? ['Join now'] : own.joinLabels
    const page = account ? { ...own, signedIn: true, accountName: account.name, joinLabels } : own
    return { visit, page: this.isChatOn ? page : { ...page, chat: 'off' } }
  }

  rosterAnswer(): string {
    return syncAnswer(this.feed.users())
  }

  // For a visit.

  namesInside(): string[] {
    return this.roster.all().map(({ name }) => name)
  }

  denied(): void {
    this.denials++
  }

  peopleFor({ self, botName, shareDevice }: Pick<GoogleMeetVisit, 'self' | 'botName' | 'shareDevice'>): PagePerson[] {
    const own: PagePerson = {
      device: self,
      name: botName,
      isSelf: true,
      isHost: false,
      camera: this.bot.cameraOn,
      muted: !this.bot.microphoneOn,
      speaking: false,
      handRaised: false,
      shareDevice,
      merged: false,
    }
    return [...this.roster.all().map(shownAs), own]
  }

  /** Sends bytes of an unknown format on the `collections` channel. */
  sendUnknown(bytes: Uint8Array): void {
    this.feed.sendUnknown(bytes)
  }

  // Messages to the page.

  protected override showPeople(visit: GoogleMeetVisit, changed?: Person): void {
    visit.send({ do: 'people', people: this.peopleFor(visit) })
    if (changed) this.feed.changed(changed)
  }

  protected override showSpeaking(visit: GoogleMeetVisit, person: Person): void {
    // The people of a room share one sound: the page cannot know which of them speaks.
    const shown = person.isMerged ? this.roster.all().filter(({ isMerged }) => isMerged) : [person]
    for (const { device } of shown) visit.send({ do: 'speaking', device, speaking: person.isSpeaking })
  }

  protected override showChat(visit: GoogleMeetVisit, { personId, ...line }: ChatLine): void {
    const device = personId === null ? null : this.roster.get(personId).device
    visit.send({ do: 'chat', line: { ...line, device } })
    this.feed.chat({ ...line, device: device ?? visit.self })
  }

  protected override showReaction(_visit: GoogleMeetVisit, { name }: Person, emoji: string): void {
    this.toast(`${name} reacted with ${emoji}`)
  }

  protected override showHand(visit: GoogleMeetVisit, person: Person): void {
    this.showPeople(visit)
    if (person.isHandRaised) this.toast(`${person.name} has raised a hand`)
  }

  protected override showChatEnabled(visit: GoogleMeetVisit, enabled: boolean): void {
    visit.send({ do: 'chatEnabled', enabled })
  }

  protected override captionSpoken(visit: GoogleMeetVisit, caption: CaptionRow): void {
    const device = this.roster.find(caption.personId)?.device
    if (!visit.captionsOn || caption.isFinal || device === undefined) return
    const { name, text, row } = caption
    visit.send({ do: 'caption', device, name, text, row })
    if (this.settings.captionsChannel && visit.media instanceof GoogleMeetMediaLink)
      visit.media.captions?.send(captionEvent({ ...caption, device }))
  }

  protected override sourceOf(person: Person, kind: 'camera' | 'screen'): string | null {
    return kind === 'camera' ? person.device : person.shareDevice
  }

  protected override personCame({ name }: Person): void {
    this.toast(`${name} joined`)
  }

  protected override personWent(person: Person): void {
    this.feed.left(person)
    this.toast(`${person.name} left`)
  }

  protected override sharingChanges(person: Person, isSharing: boolean): void {
    if (isSharing) {
      person.shareDevice = this.devices.next()
      this.toast(`${person.name} is presenting`)
    } else {
      if (person.shareDevice !== null) this.feed.stoppedSharing(person, person.shareDevice)
      person.shareDevice = null
    }
  }

  protected override showBotScreen(visit: GoogleMeetVisit): void {
    visit.shareDevice = visit.screenOn ? this.devices.next() : null
    this.showPeople(visit)
  }

  protected override botMuted(): void {
    this.toast('The host muted you')
  }

  protected override botEntered(): void {
    if (this.settings.page.audio === 'worklet') this.media.startMix()
  }

  /** The page takes the sound from its own decoder, and its receivers get none; or the other way round. */
  pageDecodes({ media }: GoogleMeetVisit, own: boolean): void {
    this.note({ event: 'rpc', target: 'decoder', detail: own ? 'own-decoder' : 'browser-decoder' })
    media.sendSounds(!own)
    if (own) this.media.startMix()
    else this.media.stopMix()
  }

  protected override botWentOut(): void {
    this.feed.stop()
  }

  override remove(): void {
    const visit = this.visit('remove')
    this.feed.selfStatus(7)
    visit.remove()
  }

  protected override newMediaLink(visit: GoogleMeetVisit): GoogleMeetMediaLink {
    return new GoogleMeetMediaLink(this.linkPorts(visit), {
      onCollections: (channel) => {
        new Timers(this.speed).after(FIRST_ROSTER_MS, () => {
          if (visit.isInCall && visit === this.current) this.feed.start(channel)
        })
      },
      onPageMessage: (text) => this.chatFromBot(visit as MeetingVisit, text),
    })
  }

  private toast(text: string): void {
    this.whenInCall((visit) => visit.send({ do: 'toast', text, forMs: TOAST_MS }))
  }
}
