/** A mock Zoom meeting: sends people, speakers and chat to its page, and answers its address. */
import type { MediaLine, SessionOptions } from '../media/session.ts'
import type { VisitAccount } from '../shared/accounts.ts'
import type { CaptionRow } from '../shared/caption-writer.ts'
import { type ChatLine, Meeting } from '../shared/meeting.ts'
import { hashOf } from '../shared/page/random.ts'
import { People, type Person } from '../shared/people.ts'
import type { Scenario } from '../shared/scenario.ts'
import type { MockMeetingOptions, MockPerson } from '../types.ts'
import { ACCESS_MODES } from './access-modes.ts'
import { messageId, Nodes, type Passcode, randomPasscode } from './numbers.ts'
import type { DialogKind } from './page/dialog-kinds.ts'
import type { PageSettings } from './page/meeting.entry.ts'
import { shareNode } from './page/nodes.ts'
import type { ChatLine as PageChatLine, PagePerson } from './page/protocol.ts'
import { CLASS, TEXT } from './page/table.ts'
import { SdkVisit } from './sdk/visit.ts'
import { DEFAULTS, pageSettings, type ScenarioSettings } from './settings.ts'
import { ZoomVisit } from './visit.ts'

const answer = (allow: boolean) => (visit: ZoomVisit) => {
  if (!(visit instanceof SdkVisit)) throw new Error('The bot did not come through the SDK, so it asked for no right')
  visit.allowRecording(allow)
}

const SDK_SHOWABLE: Readonly<Record<string, (visit: ZoomVisit) => void>> = {
  'allow-recording': answer(true),
  'refuse-recording': answer(false),
}

const TOAST_MS = 5000

const dialog = (kind: DialogKind) => (visit: ZoomVisit) => visit.send({ do: 'dialog', dialog: kind })
const end = (state: string, kind: DialogKind) => (visit: ZoomVisit) => visit.end(state, kind)

const SHOWABLE: Readonly<Record<string, (visit: ZoomVisit) => void>> = {
  recording: dialog('recording'),
  'recording-banner': (visit) => visit.send({ do: 'banner', text: 'This meeting is being recorded' }),
  livestream: dialog('livestream'),
  ai: dialog('ai'),
  'ai-summary': dialog('ai-summary'),
  'ask-to-unmute': dialog('unmute'),
  'breakout-invitation': dialog('breakout'),
  tip: (visit) => visit.send({ do: 'tip', text: 'Your microphone is muted', button: TEXT.gotIt }),
  'settings-tip': (visit) =>
    visit.send({ do: 'tip', text: 'Try the new settings', button: 'OK', cls: CLASS.featureTip }),
  'free-limit': (visit) => visit.send({ do: 'toast', text: TEXT.freeSoon, forMs: TOAST_MS }),
  'no-free-audio': (visit) => visit.send({ do: 'toast', text: TEXT.noFreeAudio, forMs: TOAST_MS }),
  'new-host': (visit) => visit.announceHost(),
  'make-host': (visit) => visit.becomeHost(),
  lock: (visit) => visit.send({ do: 'locked', locked: true }),
  'on-hold': (visit) => visit.holdBack(),
  'host-left': (visit) => visit.loseHost(TEXT.hostLeft),
  'host-lost': (visit) => visit.loseHost(TEXT.hostLost),
  'breakout-room': (visit) => visit.send({ do: 'layer', text: 'Joining Room 1...' }),
  'breakout-rooms': (visit) => visit.send({ do: 'rooms', areOpen: true }),
  'breakout-rooms-closed': (visit) => visit.send({ do: 'rooms', areOpen: false }),
  'main-session': (visit) => visit.send({ do: 'layer', text: null }),
  'ended-by-admin': end('hostEnded', 'ended-by-admin'),
  'ended-other-meeting': end('hostEnded', 'ended-other-meeting'),
  'ended-free': end('hostEnded', 'ended-free'),
  'other-device': end('duplicate', 'duplicate'),
  'gone-home': (visit) => visit.goAway(),
  'signed-out': (visit) => visit.signOut('https://app.zoom.us/signin'),
  ...SDK_SHOWABLE,
}

interface ZoomPerson extends Person {
  /** The platform's `userId`. */
  node: number
}

const USUAL_PEOPLE: MockPerson[] = [
  { id: 'ann', name: 'Ann Host', isHost: true, camera: true },
  { id: 'bob', name: 'Bob Berg', camera: true },
]

function newPeople(nodes: Nodes): People<ZoomPerson> {
  return new People((base) => ({ ...base, node: nodes.next() }))
}

/** People who dial in, and those of another account than the host's, are known by the beginning of their id. */
function shownAs(person: ZoomPerson): PagePerson {
  const { id, node, name, isHost, camera, muted, isSpeaking, isSharing, isHandRaised } = person
  return {
    node,
    name,
    isSelf: false,
    role: isHost ? 'host' : 'none',
    isGuest: id.startsWith('guest'),
    audio: id.startsWith('phone') ? 'phone' : 'computer',
    muted: muted === true,
    camera: camera === true,
    // Some people have a photo, the same ones every time.
    photo: hashOf(id) % 3 === 0,
    speaking: isSpeaking,
    sharing: isSharing,
    handRaised: isHandRaised,
  }
}

const MAX_MESSAGE_LENGTH = 4096
const LOW_BITS = { voice: 1, camera: 0 } as const
const CLUSTER = 'us02web.zoom.us'
export const VANITY = 'acme.zoom.us'

export interface LoadRequest {
  isFramed: boolean
  /** The link's passcode. */
  pwd: string
  account: VisitAccount | null
  /** As the browser asks for it. */
  language: string
}

export class ZoomMeeting extends Meeting<ZoomPerson, ZoomVisit> {
  readonly settings: ScenarioSettings
  readonly passcode: Passcode
  /** How often the client's address was asked for. */
  loads = 0
  protected readonly showable = SHOWABLE
  protected readonly accessModes = ACCESS_MODES
  private readonly nodes: Nodes
  private firstAskedAt: number | null = null
  /** The page's ids of messages, by ours. */
  private readonly rowIds = new Map<string, string>()

  constructor(code: string, scenarioName: string, scenario: Scenario<ScenarioSettings>, options: MockMeetingOptions) {
    const settings = { ...DEFAULTS, ...scenario.settings }
    const nodes = new Nodes()
    const passcode = randomPasscode()
    const people = newPeople(nodes)
    const isWebRtc = (settings.page.playback ?? 'webrtc') === 'webrtc'
    super({
      code,
      url: linkOf(code, settings, passcode),
      scenarioName,
      scenario,
      options,
      people,
      usualPeople: USUAL_PEOPLE,
      isChatOn: (settings.page.chat ?? 'on') === 'on',
      longestMessage: MAX_MESSAGE_LENGTH,
      // On the WASM path sound comes as samples, and pictures on any free line.
      room: isWebRtc ? { audioStreams: 'perPerson' } : {},
      session: isWebRtc ? sessionOptions((id) => people.find(id)?.node ?? 0) : {},
    })
    this.settings = settings
    this.nodes = nodes
    this.passcode = passcode
  }

  /** The platform's id of a person, which a bot reports. */
  nodeOf(id: string): number {
    return this.roster.get(id).node
  }

  // For the server.

  /** Whether the meeting exists now. The time counts from the first request. */
  isUnderWay(): boolean {
    this.firstAskedAt ??= Date.now()
    return Date.now() - this.firstAskedAt >= this.settings.invalidForMs / this.speed
  }

  /** The settings of the page that is about to be served, with a new visit for it. */
  newVisit({ isFramed, pwd, account, language }: LoadRequest): { visit: ZoomVisit; page: PageSettings } {
    const { passcode, blankLoads, stalledLoads, browserLanguage } = this.settings
    const isGiven = pwd === this.passcode.inLink
    const visit = this.addVisit(
      new ZoomVisit(this, {
        self: this.nodes.next(),
        isFramed,
        asksPasscode: passcode === 'asked' || !isGiven,
        load: this.loads <= blankLoads ? 'blank' : this.loads <= stalledLoads ? 'stall' : 'client',
        name: account?.name ?? '',
      }),
    )
    visit.account = account
    const lang = browserLanguage && !language.toLowerCase().startsWith('en') ? language.slice(0, 2) : this.lang
    const page = pageSettings(this.settings, { seed: this.seed, speed: this.speed, lang, isFramed })
    return { visit, page: this.isChatOn || page.chat !== 'on' ? page : { ...page, chat: 'host-disabled' } }
  }

  /** Adds a visit of another kind than the web client's, with a new node. */
  adopt(make: (meeting: ZoomMeeting, self: number) => ZoomVisit): ZoomVisit {
    return this.addVisit(make(this, this.nodes.next()))
  }

  // For a visit.

  peopleFor(visit: ZoomVisit): PagePerson[] {
    const own: PagePerson = {
      node: visit.self,
      name: visit.botName,
      isSelf: true,
      role: visit.isHost ? 'host' : 'none',
      isGuest: false,
      audio: 'computer',
      muted: !visit.microphoneOn,
      camera: visit.cameraOn,
      photo: false,
      speaking: false,
      sharing: false,
      handRaised: false,
    }
    const others = this.roster.all().map(shownAs)
    if (visit.isHost) for (const other of others) if (other.role === 'host') other.role = 'cohost'
    return [own, ...others]
  }

  /** The bot becomes the host, as happens when the last one leaves. */
  makeBotHost(visit: ZoomVisit): void {
    visit.isHost = true
    this.showPeople(visit)
  }

  chooseHost(): string | null {
    const next = this.roster.all().find(({ isHost }) => !isHost)
    if (!next) return null
    for (const person of this.roster.all()) person.isHost = person === next
    this.peopleChanged(next)
    return next.name
  }

  // Messages to the page.

  protected override showPeople(visit: ZoomVisit): void {
    visit.send({ do: 'people', people: this.peopleFor(visit) })
  }

  protected override showSpeaking(visit: ZoomVisit, { node, isSpeaking }: ZoomPerson): void {
    visit.send({ do: 'speaking', node, speaking: isSpeaking })
  }

  protected override showChat(visit: ZoomVisit, line: ChatLine): void {
    visit.send({ do: 'chat', line: this.lineFor(visit, line) })
  }

  protected override showChatChange(visit: ZoomVisit, line: ChatLine): void {
    visit.send({ do: 'chatChange', line: this.lineFor(visit, line) })
  }

  private lineFor(visit: ZoomVisit, { id, personId, name, isDirect, reactions, ...line }: ChatLine): PageChatLine {
    const isOwn = personId === null
    const rowId = this.rowIds.get(id) ?? messageId()
    this.rowIds.set(id, rowId)
    const senderNode = isOwn ? visit.self : this.roster.get(personId).node
    return { ...line, id: rowId, senderNode, senderName: name, isOwn, privateTo: isDirect ? visit.botName : null }
  }

  protected override showHand(visit: ZoomVisit): void {
    this.showPeople(visit)
  }

  protected override showChatEnabled(visit: ZoomVisit, enabled: boolean): void {
    visit.send({ do: 'chatPolicy', chat: enabled ? 'on' : 'host-disabled' })
  }

  protected override captionSpoken(visit: ZoomVisit, { personId, row, text, isFinal }: CaptionRow): void {
    const node = this.roster.find(personId)?.node
    if (node !== undefined && visit.hasCaptions && !isFinal) visit.send({ do: 'caption', node, row, text })
  }

  protected override sourceOf({ node }: ZoomPerson, kind: 'camera' | 'screen'): string {
    return String(kind === 'camera' ? node : shareNode(node))
  }

  protected override botEntered(): void {
    if ((this.settings.page.playback ?? 'webrtc') !== 'webrtc') this.media.startMix()
  }
}

function linkOf(code: string, { launch, vanity, passcode }: ScenarioSettings, { inLink }: Passcode): string {
  const host = vanity ? VANITY : launch === 'new' ? CLUSTER : 'zoom.us'
  const pwd = { link: inLink, asked: inLink, 'wrong-in-link': 'V3Jvbmc.1', 'missing-in-link': '' }[passcode]
  return `https://${host}/j/${code}${pwd ? `?pwd=${pwd}` : ''}`
}

/**
 * Streams are named `<ssrc>+…+CS+…`; the ssrc without its low ten bits is the person's node
 * (docs/platform-notes/zoom.md#audio-paths).
 */
function sessionOptions(nodeOf: (personId: string) => number): SessionOptions {
  const ssrc = ({ personId, source }: MediaLine) =>
    personId === null ? 0 : source === 'screen' ? shareNode(nodeOf(personId)) : nodeOf(personId) + LOW_BITS[source]
  return { ssrc, streamId: (line) => `${ssrc(line)}+${line.source}+CS+${line.index}` }
}
