import type { PageSnapshot } from '../../../platforms/jitsi/page/types.ts'

export const HOST = 'meet.jit.si'

/** A page of a room that shows nothing; tests add what they need. */
export function snapshot(shown: Partial<PageSnapshot> = {}): PageSnapshot {
  return {
    at: 0,
    url: `https://${HOST}/CalmRivers7`,
    lang: 'en',
    lines: [],
    headings: [],
    dialogs: [],
    screen: null,
    isKnocking: false,
    nameBox: null,
    join: null,
    passwordBox: false,
    passwordWrong: false,
    withPassword: false,
    loginBox: false,
    launchWeb: false,
    notices: [],
    leaveReason: null,
    overlay: null,
    remoteTiles: 0,
    toolbox: false,
    leaveControl: false,
    microphone: 'absent',
    camera: 'absent',
    others: null,
    state: null,
    isMediaLost: false,
    ...shown,
  }
}

export const OUTSIDE: PageSnapshot['state'] = {
  isJoined: false,
  wasJoined: false,
  failure: null,
  waitsForModerator: false,
}
export const INSIDE: PageSnapshot['state'] = { ...OUTSIDE, isJoined: true, wasJoined: true }

/** The frame of a meeting, which is also there while the page connects and after it was thrown out. */
export const FRAME: Partial<PageSnapshot> = { toolbox: true, leaveControl: true, microphone: 'off', camera: 'off' }
export const CALL: Partial<PageSnapshot> = { ...FRAME, state: INSIDE, remoteTiles: 2 }
export const PREJOIN: Partial<PageSnapshot> = {
  screen: 'prejoin',
  headings: ['Join meeting'],
  join: { label: 'Join meeting', isEnabled: true },
  state: OUTSIDE,
}
