/**
 * The messages between the mock Microsoft Teams page and its server, over the page's WebSocket. Types only: both sides
 * import this file, and it leaves no trace in the page's DOM.
 */
import type { MessageExtras } from '../../shared/page/chat-text.ts'
import type { SharedFromPage, SharedToPage } from '../../shared/page/protocol.ts'

export type Role = 'organizer' | 'presenter' | 'attendee'

export interface PagePerson {
  /** The platform's key of a person, such as `8:orgid:<guid>`. */
  mri: string
  name: string
  role: Role
  isSelf: boolean
  camera: boolean
  muted: boolean
  speaking: boolean
  sharing: boolean
  handRaised: boolean
  /** The tile's text until its name resolves; empty if the name is known from the start. */
  unresolved: string
  /** The roster's numbers of the person's streams; the first is the contributing source of the voice. */
  audioSource: number
  videoSource: number
  shareSource: number
}

/** How a tile shows that its person speaks (docs/platform-notes/microsoft-teams.md#signs-of-speech). */
export type SpeakingMark = 'class' | 'attribute' | 'before' | 'after' | 'motion' | 'aria'

/**
 * The one screen that serves failures of every kind
 * (docs/platform-notes/microsoft-teams.md#wrong-links-and-the-retry-screen).
 */
export type RetryKind =
  | 'notFound'
  | 'denied'
  | 'declined'
  | 'notAdmitted'
  | 'noResponse'
  | 'couldNotConnect'
  | 'captchaFailed'
  | 'removed'
  | 'removedAlt'
  | 'botsBlocked'
  | 'locked'
  | 'full'

/** Looks and traps of one page load, decided by the scenario and the seed. Times are milliseconds as the page is to take them. */
export interface PageSettings {
  seed: number
  lang: string
  skin: 'light' | 'full'
  /**
   * Rows of the roster are named differently for classic links (docs/platform-notes/microsoft-teams.md#people-pane).
   */
  link: 'short' | 'classic'
  title: string
  typographic: boolean
  /** Name of the account where the page is signed in; null for a guest. */
  accountName: string | null
  devices: 'ask' | 'none'
  /**
   * Which way round `data-cid` names the state of a switch; sources disagree
   * (docs/platform-notes/microsoft-teams.md#microphone-and-camera-switches).
   */
  cidMeansOn: boolean
  hydrationMs: [number, number]
  shroudMs: number
  /** A waiting room in words that no driver knows, and with a join button that stays enabled. */
  foreignLobby: boolean
  /** The name field is drawn so long after the rest of the page. */
  nameFieldMs: number
  /** The first clicks on these targets are ignored: target to number of clicks. */
  swallow: Record<string, number>
  controls: 'work' | 'consumer'
  toolbarHideMs: number
  badge: 'badge' | 'tile'
  /** Counts above this read `12+`; 0 shows every number. */
  badgeCap: number
  badgeMs: number
  /** The badge is away this long after the layout changed. */
  relayoutMs: number
  hangUp: 'plain' | 'split'
  captionsItem: 'direct' | 'submenu'
  chat: 'on' | 'off' | 'no-button'
  /** Scripts find the call among the page's globals. */
  callObject: boolean
  chatMountMs: number
  peopleMountMs: number
  captionMountMs: number
  /** Names of tiles resolve after this long. */
  unresolvedMs: number
  /** A second line of sound that never carries any (docs/platform-notes/microsoft-teams.md#connections-and-sound). */
  redundantAudio: boolean
  marks: SpeakingMark[]
  /** People who were invited and did not come; the roster lists them. */
  invited: string[]
  /** People who wait to be let in. */
  waiting: string[]
  toastMs: number
}

export interface ChatLine extends MessageExtras {
  /** UTC milliseconds as text, the platform's id of a message. */
  id: string
  /** The message's id in the sender's client, which batches use. */
  clientId: string
  /** Null for a notice of the platform. */
  mri: string | null
  name: string
  isOwn: boolean
  text: string
  /** UTC milliseconds. */
  at: number
  reactions?: { key: string; users: string[] }[]
}

/** The content of the page. */
export type View =
  | { name: 'launcher'; appLink: string; probe: string | null }
  | { name: 'splash' }
  | { name: 'malformed' }
  | { name: 'permissionGate' }
  | { name: 'preJoin' }
  | { name: 'connecting' }
  /** Without a text the request was dropped, and the join button can be pressed again. */
  | { name: 'lobby'; text: string | null }
  | { name: 'wall'; text: string }
  | { name: 'retry'; kind: RetryKind; meetingId: string; passcode: string }
  | { name: 'call'; self: string; botName: string; callId: string; people: PagePerson[] }
  | { name: 'end'; heading: string }
  | { name: 'e2ee' }
  /** The call is gone, and the page gives no reason. */
  | { name: 'blank' }

export type DialogKind = 'av-confirm' | 'av-confirm-frame' | 'captcha' | 'info' | 'consent' | 'still-there' | 'breakout'

export type BannerKind =
  | 'JoinersOngoingRecording'
  | 'RoomsOpen'
  | 'RoomsClosing'
  | 'DeviceCaptureMute'
  | 'VideoCapturePermissionDenied'
  | 'lobby'

export type ToPage =
  | SharedToPage
  | { do: 'view'; view: View }
  | { do: 'dialog'; dialog: DialogKind }
  | { do: 'closeDialogs' }
  | { do: 'people'; people: PagePerson[] }
  | { do: 'speaking'; mri: string; speaking: boolean }
  | { do: 'chat'; line: ChatLine }
  /** Edited, deleted or reacted to. */
  | { do: 'chatChange'; line: ChatLine }
  | { do: 'chatEnabled'; enabled: boolean }
  | { do: 'caption'; row: number; name: string; text: string }
  | { do: 'banner'; banner: BannerKind }
  | { do: 'toast'; text: string }
  | { do: 'network'; text: string | null }
  | { do: 'relayout' }
  | { do: 'marks'; marks: SpeakingMark[] }

export type FromPage =
  | SharedFromPage
  /** The token of a registered bot, which the link brought behind its `#`. */
  | { say: 'token'; token: string }
  | { say: 'launch'; choice: 'web' | 'app' }
  | { say: 'gatePassed' }
  | { say: 'join'; name: string }
  | { say: 'cancel' }
  | { say: 'dialog'; dialog: DialogKind; choice: string }
  | { say: 'retry'; choice: 'rejoin' | 'dismiss' }
  | { say: 'leave'; how: 'hang-up' | 'leave' | 'end-for-all' }
  | { say: 'rejoin' }
  | { say: 'chat'; text: string }
  | { say: 'captions'; on: boolean; language: string }

/** Given to the page's script by its server. */
export interface Given {
  settings: PageSettings
  socketPath: string
  /** Names the visit to the platform's other services: the roster and the push socket. */
  token: string
}
