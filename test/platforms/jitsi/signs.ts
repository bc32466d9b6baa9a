import type { PageSigns } from '../../../platforms/jitsi/page/types.ts'

export const HOST = 'meet.jit.si'

/** A page of a room that shows nothing; tests add what they need. */
export function signs(shown: Partial<PageSigns> = {}): PageSigns {
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

export const OUTSIDE: PageSigns['state'] = {
  isJoined: false,
  wasJoined: false,
  failure: null,
  waitsForModerator: false,
}
export const INSIDE: PageSigns['state'] = { ...OUTSIDE, isJoined: true, wasJoined: true }

/** The frame of a meeting, which is also there while the page connects and after it was thrown out. */
export const FRAME: Partial<PageSigns> = { toolbox: true, leaveControl: true, microphone: 'off', camera: 'off' }
export const CALL: Partial<PageSigns> = { ...FRAME, state: INSIDE, remoteTiles: 2 }
export const PREJOIN: Partial<PageSigns> = {
  screen: 'prejoin',
  headings: ['Join meeting'],
  join: { label: 'Join meeting', isEnabled: true },
  state: OUTSIDE,
}
