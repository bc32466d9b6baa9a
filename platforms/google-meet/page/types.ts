/** Types of the data that Google Meet's page script receives and reports, in addition to those of all platforms. */
import type { CommonConfig, CommonSnapshot } from '../../shared/page/types.ts'
import type { Elements } from './elements.ts'

export interface PageConfig extends CommonConfig {
  /** Sources of the wordings of the join button, preferred ones first. */
  joinLabels: readonly string[]
}

/** The sign by which a button counts as the one that joins; the earlier the better. */
export type JoinRank = 'label' | 'jsname' | 'wording' | 'structure'

/** All signs of one poll of the page. */
export interface PageSnapshot extends CommonSnapshot {
  nameBox: { value: string } | null
  join: { label: string; rank: JoinRank; isEnabled: boolean } | null
  switchHere: boolean
  withoutAccount: boolean
  /** Real tiles: those with a media id that are not the effects button of the waiting room. */
  tiles: number
  /** How many of them are the bot's own; default 0. */
  ownTiles?: number
  captionsControl: boolean
  /** Number of people in the call with the bot, as a label says; null if none does. */
  peopleCount: number | null
  shareScreen: boolean
  chatControl: boolean
  leaveControl: boolean
  /** Buttons and marks of pages that end a visit. */
  returnHome: boolean
  rejoin: boolean
  askAgain: boolean
  countdown: boolean
  callEnded: boolean
  captcha: boolean
  /** Status of the bot's own device in the roster: 1 in, 6 out, 7 removed; null if no roster came. */
  ownStatus: number | null
  /** The source of the knowledge about people. */
  rosterSource: 'channel' | 'http' | 'page' | null
  audioElements: number
  audioReceivers: number
}

/** Elements that the driver can ask for by name. */
export type ElementName = Parameters<Elements['find']>[0]
