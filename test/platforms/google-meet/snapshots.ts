import type { PageSnapshot } from '../../../platforms/google-meet/page/types.ts'

/** A page on Meet that shows nothing; tests add what they need. */
export function snapshot(shown: Partial<PageSnapshot> = {}): PageSnapshot {
  return {
    at: 0,
    url: 'https://meet.google.com/abc-defg-hij?hl=en',
    lang: 'en',
    lines: [],
    headings: [],
    dialogs: [],
    nameBox: null,
    join: null,
    switchHere: false,
    withoutAccount: false,
    microphone: 'absent',
    camera: 'absent',
    tiles: 0,
    captionsControl: false,
    peopleCount: null,
    shareScreen: false,
    chatControl: false,
    leaveControl: false,
    returnHome: false,
    rejoin: false,
    askAgain: false,
    countdown: false,
    callEnded: false,
    captcha: false,
    ownStatus: null,
    others: null,
    rosterSource: null,
    audioElements: 0,
    audioReceivers: 0,
    ...shown,
  }
}

/** The waiting room's page without its text. */
export const TOOLBAR: Partial<PageSnapshot> = {
  microphone: 'off',
  camera: 'off',
  leaveControl: true,
  chatControl: true,
  returnHome: true,
}

export const CALL: Partial<PageSnapshot> = {
  microphone: 'off',
  camera: 'off',
  leaveControl: true,
  chatControl: true,
  tiles: 2,
  captionsControl: true,
  peopleCount: 2,
  shareScreen: true,
}
