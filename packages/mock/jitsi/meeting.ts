/** A mock Jitsi meeting: sends people, speakers and chat to its page. */

import { randomBytes } from 'node:crypto'
import { type ChatChange, type ChatLine, Meeting } from '../shared/meeting.ts'
import { type Person as BasePerson, People } from '../shared/people.ts'
import type { MockMeetingOptions } from '../types.ts'
import { ACCESS_MODES } from './access-modes.ts'
import type { ChatLine as PageChatLine, PagePerson, PageSettings } from './page/protocol.ts'
import { type Scenario, TWO } from './scenario.ts'
import { DEFAULTS, pageSettings, type ScenarioSettings } from './settings.ts'
import { JitsiVisit, REASONS } from './visit.ts'

interface Person extends BasePerson {
  /** Eight hexadecimal digits, as the server gives them to every participant. */
  endpoint: string
}

function newEndpoint(): string {
  return randomBytes(4).toString('hex')
}

function newPeople(): People<Person> {
  return new People((base) => ({ ...base, endpoint: newEndpoint() }))
}

/** Sources are named after their owner: sound, camera, shared screen. */
function sourceName({ endpoint }: Person, kind: 'audio' | 'camera' | 'screen'): string {
  return `${endpoint}-${kind === 'audio' ? 'a0' : kind === 'camera' ? 'v0' : 'v1'}`
}

function shownAs({ endpoint, name, isHost, camera, muted, isSharing, isHandRaised }: Person): PagePerson {
  return {
    endpoint,
    name,
    isModerator: isHost === true,
    camera: camera === true,
    muted: muted === true,
    isSharing,
    handRaisedAt: isHandRaised ? Date.now() : 0,
  }
}

const SHOWABLE: Record<string, (visit: JitsiVisit) => void> = {
  consent: (visit) => visit.askConsent(),
  'server-lost': (visit) => visit.loseServer('network'),
  'server-error': (visit) => visit.loseServer('error'),
  'breakout-rooms': (visit) => visit.send({ do: 'rooms', names: ['Ann Host', 'Bob Berg'] }),
  'breakout-rooms-closed': (visit) => visit.send({ do: 'rooms', names: [] }),
  'time-limit': (visit) => visit.finish('hostEnded', REASONS.timeLimit),
  'kicked-by-system': (visit) => visit.finish('removed', REASONS.kickedBySystem),
  'own-reason': (visit) => visit.finish('hostEnded', REASONS.own),
  moderation: (visit) => visit.send({ do: 'notice', notice: { title: 'notify.moderationInEffectTitle' } }),
  'noisy-microphone': (visit) => visit.send({ do: 'notice', notice: { title: 'toolbar.noisyAudioInputTitle' } }),
  tip: (visit) => visit.send({ do: 'dialog', dialog: 'tip' }),
}

const MAX_MESSAGE_LENGTH = 5000
/** Text forms of the reactions (docs/platform-notes/jitsi.md#reactions-and-raised-hands). */
const REACTIONS: Readonly<Record<string, string>> = { '👍': ':thumbs_up:', '👏': ':clap:', '💖': ':heart:' }

export class JitsiMeeting extends Meeting<Person, JitsiVisit> {
  readonly settings: ScenarioSettings
  /** How often the page's address was asked for. */
  loads = 0
  /** The network is gone: the page reaches the server neither by its socket nor by a reload. */
  isUnreachable = false
  protected readonly showable = SHOWABLE
  protected readonly accessModes = ACCESS_MODES

  constructor(code: string, scenarioName: string, scenario: Scenario, options: MockMeetingOptions) {
    const settings = { ...DEFAULTS, ...scenario.settings, page: { ...scenario.settings?.page } }
    const people = newPeople()
    super({
      code,
      url: `https://meet.jit.si/${code}`,
      scenarioName,
      scenario,
      options,
      people,
      usualPeople: TWO,
      isChatOn: settings.page.chat === undefined || settings.page.chat === 'on',
      longestMessage: MAX_MESSAGE_LENGTH,
      room: { audioStreams: 'perPerson' },
      // Both kinds of a person's streams are named after the endpoint, as the real server does.
      session: {
        streamId: ({ kind, personId, source }) => {
          const owner = personId === null ? undefined : people.find(personId)?.endpoint
          return owner === undefined ? 'mixedmslabel' : `${owner}-${kind}-${source === 'screen' ? 1 : 0}-1`
        },
      },
    })
    this.settings = settings
    if (options.lang) this.settings.page.lang = options.lang
  }

  get moderatorName(): string {
    return this.roster.all().find(({ isHost }) => isHost)?.name ?? 'Somebody'
  }

  /** The platform's id of a person, which a bot reports. */
  endpointOf(id: string): string {
    return this.roster.get(id).endpoint
  }

  // For the server.

  newVisit(): { visit: JitsiVisit; page: PageSettings } {
    const visit = this.addVisit(new JitsiVisit(this))
    const { code: room, seed, speed, lang } = this
    const page = pageSettings(this.settings, { room, seed, speed, lang, self: newEndpoint() })
    return { visit, page: page.chat === 'on' && !this.isChatOn ? { ...page, chat: 'forbidden' } : page }
  }

  // Actions of the host.

  override loseConnection(): void {
    super.loseConnection()
    this.isUnreachable = true
  }

  override regainConnection(): void {
    this.isUnreachable = false
    // The page may be gone, or on its way already.
    if (this.state === 'reconnecting') super.regainConnection()
  }

  // For a visit.

  peopleFor(): PagePerson[] {
    return this.roster.all().map(shownAs)
  }

  // Messages to the page.

  protected override showPeople(visit: JitsiVisit): void {
    visit.send({ do: 'people', people: this.peopleFor() })
  }

  protected override showSpeaking(visit: JitsiVisit, { endpoint, isSpeaking }: Person): void {
    visit.send({ do: 'speaking', endpoint, speaking: isSpeaking })
  }

  protected override showChat(visit: JitsiVisit, line: ChatLine): void {
    visit.send({ do: 'chat', line: this.lineFor(line) })
  }

  /** Jitsi has no deletion of messages. */
  protected override showChatChange(visit: JitsiVisit, line: ChatLine, change: ChatChange): void {
    if (change !== 'deleted') visit.send({ do: 'chatChange', line: this.lineFor(line) })
  }

  protected override showReaction(visit: JitsiVisit, { id: personId, name }: Person, emoji: string): void {
    const text = REACTIONS[emoji] ?? ':thumbs_up:'
    const line = this.lineFor({ id: this.messageId(), personId, name, text, at: Date.now() })
    visit.send({ do: 'chat', line: { ...line, isReaction: true } })
  }

  protected override showHand(visit: JitsiVisit): void {
    this.showPeople(visit)
  }

  private lineFor({ personId, reactions, ...line }: ChatLine): PageChatLine {
    const endpointOf = (id: string) => this.roster.get(id).endpoint
    return {
      ...line,
      endpoint: personId === null ? null : endpointOf(personId),
      ...(reactions && {
        reactions: reactions.map(({ emoji, personIds }) => ({ emoji, endpoints: personIds.map(endpointOf) })),
      }),
    }
  }

  protected override showChatEnabled(visit: JitsiVisit, allowed: boolean): void {
    visit.send({ do: 'chatAllowed', allowed })
  }

  protected override sourceOf(person: Person, kind: 'camera' | 'screen'): string | null {
    return sourceName(person, kind)
  }

  protected override personCame({ name }: Person): void {
    this.notice({ title: 'notify.connectedOneMember', name })
  }

  protected override personWent({ name }: Person): void {
    this.notice({ title: 'notify.leftOneMember', name })
  }

  protected override botMuted(): void {
    this.notice({ title: 'notify.mutedRemotelyTitle', name: this.moderatorName })
  }

  private notice(notice: { title: string; name: string }): void {
    this.whenInCall((visit) => visit.send({ do: 'notice', notice }))
  }
}
