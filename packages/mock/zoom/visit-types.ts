import type { DialogKind } from './page/dialog-kinds.ts'
import { TEXT } from './page/table.ts'
import type { ScenarioSettings } from './settings.ts'

/** Those who ask to be let in. */
export const WAITING = ['lobby', 'waitingForHost', 'onHold']
/** Those who are in the meeting, or nearly. */
export const IN_CALL = ['call', 'reconnecting']
/** Final states: only another load follows. */
export const OVER =
  `botWall captchaFailed signIn registration external errorPage somethingWrong blocked timeout locked full
  removedBefore denied removed hostEnded duplicate disconnected left`.split(/\s+/)

/** Ends before the meeting: the state, and the dialog that says so. */
export const REFUSALS: Partial<Record<ScenarioSettings['afterJoin'], [state: string, dialog: DialogKind]>> = {
  'error-1132': ['blocked', 'error-1132'],
  'browser-off': ['blocked', 'browser-off'],
  policy: ['blocked', 'policy'],
  locked: ['locked', 'locked'],
  full: ['full', 'full'],
  'removed-before': ['removedBefore', 'removed-before'],
  ended: ['hostEnded', 'ended'],
  timeout: ['timeout', 'timeout'],
}

/** Texts of the waiting room; the seed chooses one. */
export const ROOM_TIPS = [
  [TEXT.waitingRoom],
  [TEXT.waitingRoomPlease],
  [TEXT.waitingRoomReady],
  [TEXT.waitingRoom, TEXT.waitingRoomSoon],
  [TEXT.waitingRoomShortly],
]
export const HOST_TIPS = [
  TEXT.hostNotStarted,
  TEXT.hostNotStartedOther,
  TEXT.waitingForHostToJoin,
  TEXT.hostBusy,
  TEXT.notStarted,
]

/** One for each build. */
export const PASSCODE_ERRORS = [
  TEXT.wrongPasscode,
  TEXT.wrongPasscodeOther,
  TEXT.wrongPasscodeReenter,
  TEXT.wrongPasscodeShort,
]
