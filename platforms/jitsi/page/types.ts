/** Types of the data that the Jitsi page script receives and reports, in addition to those of all platforms. */
import type { CommonConfig, CommonSnapshot, DialogSnapshot, PageApi } from '../../shared/page/types.ts'
import type { Elements } from './elements.ts'

export type { DialogSnapshot }

export type PageConfig = CommonConfig

/** A notification with the key of its text, such as `lobby.joinRejectedTitle`. */
export interface Notice {
  name: string
  text: string
}

export interface PageSnapshot extends CommonSnapshot {
  /** `prejoin`: the screen before the join; `lobby`: the same with a waiting room behind it. */
  screen: 'prejoin' | 'lobby' | null
  /** The bot asked to join, and has no answer from the lobby yet. */
  isKnocking: boolean
  nameBox: { value: string } | null
  join: { label: string; isEnabled: boolean } | null
  passwordBox: boolean
  /** The typed password is wrong. */
  passwordWrong: boolean
  withPassword: boolean
  loginBox: boolean
  launchWeb: boolean
  notices: Notice[]
  /** Why the conference was over, as the page's last dialog says. */
  leaveReason: string | null
  /** The page is about to reload itself; `network` when only the connection is at fault. */
  overlay: { kind: 'network' | 'error'; text: string } | null
  remoteTiles: number
  toolbox: boolean
  leaveControl: boolean
  /** The page's own state; null if it has none that is known. */
  state: ConferenceSnapshot | null
  /** A connection for media was up, and none is now. */
  isMediaLost: boolean
}

interface ConferenceSnapshot {
  isJoined: boolean
  /** The bot was joined before in this document, and is not now. */
  wasJoined: boolean
  /** The page's own name of the failure, such as `conference.connectionError.accessDenied`. */
  failure: string | null
  waitsForModerator: boolean
}

export type ElementName = Parameters<Elements['find']>[0]

export type JitsiPageApi = PageApi<PageSnapshot, ElementName>
