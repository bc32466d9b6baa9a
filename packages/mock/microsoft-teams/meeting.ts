/**
 * A mock Microsoft Teams meeting: sends people, speakers and chat to its page, its push socket and its main channel.
 */
import { randomUUID } from 'node:crypto'
import type { DataChannelLike, MediaSession } from '../media/room.ts'
import type { CaptionRow } from '../shared/caption-writer.ts'
import { MediaLink, type MediaLinkPorts } from '../shared/media-link.ts'
import { type ChatLine, Meeting } from '../shared/meeting.ts'
import { type Scenario, TWO } from '../shared/scenario.ts'
import type { MockMeetingOptions } from '../types.ts'
import { ACCESS_MODES } from './access-modes.ts'
import { type BotTokenState, stateOfBotToken } from './bot-token.ts'
import { invitationOf, lightPath, type MeetingIds, type NamedMeeting, newIds } from './links.ts'
import type { ChatLine as PageChatLine, PagePerson, PageSettings } from './page/protocol.ts'
import { newPeople, type Person, shownAs } from './people.ts'
import type { Launch, Link } from './pre-call-visit.ts'
import {
  channelMessage,
  dominantSpeakers,
  endBody,
  pushFrame,
  readChannelMessage,
  recognition,
  rosterBody,
  SERVICE_ENTRY,
  withStreamNumbers,
} from './push.ts'
import { DEFAULTS, MARKS, ownSuffix, pageSettings, type ScenarioSettings } from './settings.ts'
import { TeamsVisit } from './visit.ts'

const MAIN_CHANNEL = 'main-channel'
/** Longer messages of the page are noted in part. */
const MAX_NOTE_LENGTH = 500

class TeamsMediaLink extends MediaLink {
  private channel: DataChannelLike | null = null

  constructor(ports: MediaLinkPorts) {
    super({
      ...ports,
      describe: withStreamNumbers,
      session: {
        streamId: ({ kind, index }) => (kind === 'audio' ? `mainAudio-${index + 1}` : `mainVideo-${index + 1}`),
      },
      opened: (session: MediaSession) => {
        session.onChannel((label, channel) => {
          if (label !== MAIN_CHANNEL) return
          this.channel = channel
          channel.onMessage((data) => {
            const message = typeof data === 'string' ? data : readChannelMessage(data)
            ports.note(MAIN_CHANNEL, JSON.stringify(message).slice(0, MAX_NOTE_LENGTH))
          })
        })
      },
      closed: () => {
        this.channel = null
      },
    })
  }

  /** Sends a message on the page's main channel, if there is one. */
  sendOnChannel(message: unknown): void {
    this.channel?.send(channelMessage(message))
  }

  /** Simulates a platform that has changed its protocol. */
  sendUnknown(bytes: Uint8Array): void {
    this.channel?.send(bytes)
  }
}

const SHOWABLE: Record<string, (visit: TeamsVisit) => void> = {
  consent: (visit) => visit.send({ do: 'dialog', dialog: 'consent' }),
  'av-confirm': (visit) => visit.send({ do: 'dialog', dialog: 'av-confirm' }),
  info: (visit) => visit.send({ do: 'dialog', dialog: 'info' }),
  'alone-prompt': (visit) => visit.send({ do: 'dialog', dialog: 'still-there' }),
  'recording-banner': (visit) => visit.send({ do: 'banner', banner: 'JoinersOngoingRecording' }),
  'breakout-invitation': (visit) => visit.send({ do: 'dialog', dialog: 'breakout' }),
  'breakout-rooms': (visit) => visit.send({ do: 'banner', banner: 'RoomsOpen' }),
  'breakout-rooms-closed': (visit) => visit.send({ do: 'banner', banner: 'RoomsClosing' }),
  'device-banner': (visit) => visit.send({ do: 'banner', banner: 'DeviceCaptureMute' }),
  'camera-banner': (visit) => visit.send({ do: 'banner', banner: 'VideoCapturePermissionDenied' }),
  'lobby-banner': (visit) => visit.send({ do: 'banner', banner: 'lobby' }),
  'muted-toast': (visit) => visit.send({ do: 'toast', text: "You're muted" }),
  ...Object.fromEntries(
    MARKS.map((mark) => [`mark-${mark}`, (visit: TeamsVisit) => visit.send({ do: 'marks', marks: [mark] })]),
  ),
  relayout: (visit) => visit.send({ do: 'relayout' }),
  'edit-last-message': (visit) => visit.editLastMessage('Edited: the second half of the plan'),
  'chat-notice': (visit) => visit.systemLine('Meeting started'),
  'solve-captcha': (visit) => visit.solveCaptcha(),
  'no-response': (visit) => visit.retry('noResponse'),
  'signed-out': (visit) => visit.signOut('https://login.microsoftonline.com/common/oauth2/v2.0/authorize'),
  vanish: (visit) => visit.vanish(),
  'left-elsewhere': (visit) => visit.finishLeft(),
  'off-site': (visit) => visit.navigate('https://www.microsoft.com/'),
  reload: (visit) => visit.hop(),
  'sign-in-hop': (visit) => visit.hop('login.microsoftonline.com'),
}

const MAX_MESSAGE_LENGTH = 28_000
const HISTORY_KEPT = 8
/** The service's names of the reactions on a message. */
const REACTION_KEYS: Readonly<Record<string, string>> = { '👍': 'like', '❤️': 'heart', '🎉': '1f389_partypopper' }

export type TeamsScenario = Scenario<ScenarioSettings>

export class TeamsMeeting extends Meeting<Person, TeamsVisit> {
  readonly settings: ScenarioSettings
  readonly ids: MeetingIds
  /** How often the meeting's address was asked for. */
  loads = 0
  /** A page has asked for the meeting's address, and has not come to the light client yet. */
  isUnderWay = false
  protected readonly showable = SHOWABLE
  protected readonly accessModes = ACCESS_MODES
  /** Whether the token of the bot that came last is accepted; null without one. */
  botToken: BotTokenState | null = null
  private readonly happened = new Set<string>()
  /** Audio sources of those who spoke, the newest first. */
  private speakers: number[] = []
  private readonly captionStarts = new Map<number, number>()

  constructor(code: string, scenarioName: string, scenario: TeamsScenario, options: MockMeetingOptions) {
    const settings = { ...DEFAULTS, ...scenario.settings, page: { ...scenario.settings?.page } }
    const ids = newIds(settings.host, code)
    super({
      code,
      url: invitationOf(ids, settings.link),
      scenarioName,
      scenario,
      options,
      people: newPeople(settings.mapsSources),
      usualPeople: TWO,
      isChatOn: settings.page.chat === undefined || settings.page.chat === 'on',
      longestMessage: MAX_MESSAGE_LENGTH,
      room: { audioStreams: 1 },
    })
    this.settings = settings
    this.ids = ids
    if (options.lang) this.settings.page.lang = options.lang
  }

  /** The platform's key of a person, which a bot reports. */
  mriOf(id: string): string {
    return this.roster.get(id).mri
  }

  /** The contributing source of a person's voice. */
  audioSourceOf(id: string): number {
    return this.roster.get(id).audioCsrc
  }

  // For the server.

  newVisit(load: { launch?: Launch; link?: Link } = {}): TeamsVisit {
    const mri = `8:teamsvisitor:${randomUUID().replaceAll('-', '')}`
    return this.addVisit(new TeamsVisit(this, { mri, callId: randomUUID(), ...load }))
  }

  pageSettings(isFull: boolean): PageSettings {
    const page = pageSettings(this.settings, { seed: this.seed, speed: this.speed, lang: this.lang, isFull })
    return this.isChatOn || page.chat === 'no-button' ? page : { ...page, chat: 'off' }
  }

  /** A link without the passcode is wrong, which the page reports only after the join. */
  linkOf({ form, code, passcode = '' }: NamedMeeting): Link {
    return { code, passcode, isRight: form === 'classic' || passcode === this.ids.passcode }
  }

  /** The people who are in the meeting, for pages that join later. */
  rosterSnapshot(visit: TeamsVisit): object {
    const { participants } = rosterBody(this.peopleFor(visit), 'active')
    return { roster: { participants: { ...participants, ...SERVICE_ENTRY } } }
  }

  // For a visit.

  lightPath(): string {
    return lightPath({ form: this.settings.link, code: this.code, passcode: this.ids.passcode }, this.ids)
  }

  peopleFor(visit: TeamsVisit): PagePerson[] {
    const own: PagePerson = {
      mri: visit.mri,
      name: `${visit.botName}${ownSuffix(this.settings, this.seed)}`,
      role: 'attendee',
      isSelf: true,
      camera: visit.cameraOn,
      muted: !visit.microphoneOn,
      speaking: false,
      sharing: visit.screenOn,
      handRaised: false,
      unresolved: '',
      audioSource: 90,
      videoSource: 91,
      shareSource: 92,
    }
    return [...this.roster.all().map(shownAs), own]
  }

  isFirst(what: string): boolean {
    if (this.happened.has(what)) return false
    this.happened.add(what)
    return true
  }

  identify(token: string): void {
    this.botToken = stateOfBotToken(token)
    this.note({ event: 'rpc', target: 'bot-token', detail: this.botToken })
  }

  pushEnd(subCode: number, phrase: string, isByHost: boolean): void {
    const host = this.roster.all().find((person) => person.isHost) ?? this.roster.all()[0]
    const body = endBody(subCode, phrase, isByHost && host ? host : null)
    this.push('conversation/conversationEnd/', body)
  }

  // Messages to the page.

  protected override showPeople(visit: TeamsVisit, changed?: Person): void {
    visit.send({ do: 'people', people: this.peopleFor(visit) })
    if (changed) this.push('rosterUpdate/', rosterBody([shownAs(changed)], 'active'))
    visit.media.sendSlots()
  }

  protected override showSpeaking(visit: TeamsVisit, person: Person): void {
    visit.send({ do: 'speaking', mri: person.mri, speaking: person.isSpeaking })
    if (!person.isSpeaking || !this.settings.mapsSources) return
    const { audioSource } = person
    this.speakers = [audioSource, ...this.speakers.filter((source) => source !== audioSource)].slice(0, HISTORY_KEPT)
    this.link(visit)?.sendOnChannel(dominantSpeakers(this.speakers))
  }

  protected override captionSpoken(visit: TeamsVisit, { personId, name, row, text, isFinal }: CaptionRow): void {
    const startedAt = this.captionStarts.get(row) ?? Date.now()
    this.captionStarts.set(row, startedAt)
    if (isFinal) this.captionStarts.delete(row)
    if (!visit.captionsOn) return
    visit.send({ do: 'caption', row, name, text })
    const mri = this.roster.find(personId)?.mri
    if (mri) this.link(visit)?.sendOnChannel(recognition({ mri, text, startedAt, isFinal }))
  }

  protected override showChat(visit: TeamsVisit, line: ChatLine): void {
    visit.showChat(this.lineFor(visit, line))
  }

  protected override showChatChange(visit: TeamsVisit, line: ChatLine): void {
    visit.changeChat(this.lineFor(visit, line))
  }

  private lineFor(visit: TeamsVisit, { personId, reactions, ...line }: ChatLine): PageChatLine {
    const mriOf = (id: string) => this.roster.find(id)?.mri ?? null
    return {
      ...line,
      // Batches and rows name one message differently (docs/platform-notes/microsoft-teams.md#chat).
      clientId: `${line.id}${this.seed % 10}17`,
      mri: personId === null ? visit.mri : mriOf(personId),
      isOwn: personId === null,
      ...(reactions && {
        reactions: reactions.map(({ emoji, personIds }) => ({
          key: REACTION_KEYS[emoji] ?? emoji,
          users: personIds.flatMap((id) => mriOf(id) ?? []),
        })),
      }),
    }
  }

  protected override showHand(visit: TeamsVisit): void {
    this.showPeople(visit)
  }

  protected override showChatEnabled(visit: TeamsVisit, enabled: boolean): void {
    visit.send({ do: 'chatEnabled', enabled })
  }

  protected override sourceOf({ mri }: Person, kind: 'camera' | 'screen'): string {
    return `${mri}|${kind === 'camera' ? 'Video' : 'ScreenSharing'}`
  }

  protected override personCame({ name }: Person): void {
    this.whenInCall((visit) => {
      visit.send({ do: 'toast', text: `${name} joined` })
      this.systemLine(visit, `${name} joined the conversation.`)
    })
  }

  protected override personWent(person: Person): void {
    this.push('rosterUpdate/', rosterBody([shownAs(person)], 'inactive'))
  }

  /**
   * The layout changes with a presentation, and the number of people goes for a while
   * (docs/platform-notes/microsoft-teams.md#number-of-participants).
   */
  protected override sharingChanges(): void {
    this.whenInCall((visit) => visit.send({ do: 'relayout' }))
  }

  protected override showBotScreen(visit: TeamsVisit): void {
    this.showPeople(visit)
    this.push(
      'rosterUpdate/',
      rosterBody(
        this.peopleFor(visit).filter(({ isSelf }) => isSelf),
        'active',
      ),
    )
  }

  protected override botMuted(visit: TeamsVisit): void {
    visit.send({ do: 'toast', text: 'Someone muted you' })
  }

  protected override newMediaLink(visit: TeamsVisit): TeamsMediaLink {
    return new TeamsMediaLink(this.linkPorts(visit))
  }

  /** A line of the chat without an author. */
  systemLine(visit: TeamsVisit, text: string): void {
    const id = this.messageId()
    visit.showChat({ id, clientId: id, mri: null, name: '', isOwn: false, text, at: Date.now() })
  }

  /** Sends bytes of an unknown format on the main channel. */
  sendUnknown(bytes: Uint8Array): void {
    if (this.current) this.link(this.current)?.sendUnknown(bytes)
  }

  private push(path: 'rosterUpdate/' | 'conversation/conversationEnd/', body: unknown): void {
    const visit = this.current
    if (!visit) return
    // The roster is always compressed; the end message comes compressed or plain
    // (docs/platform-notes/microsoft-teams.md#end-messages).
    const isPacked = path === 'rosterUpdate/' || this.seed % 2 === 0
    visit.push(pushFrame({ path, callId: visit.callId, body, isPacked }))
  }

  private link(visit: TeamsVisit): TeamsMediaLink | null {
    return visit.media instanceof TeamsMediaLink ? visit.media : null
  }
}
