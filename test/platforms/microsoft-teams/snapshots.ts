import type { PageSnapshot } from '../../../platforms/microsoft-teams/page/types.ts'

/** A page of Microsoft Teams that shows nothing; tests add what they need. */
export function snapshot(shown: Partial<PageSnapshot> = {}): PageSnapshot {
  return {
    at: 0,
    url: 'https://teams.microsoft.com/light-meetings/launch?agent=web',
    lang: 'en',
    lines: [],
    headings: [],
    dialogs: [],
    microphone: 'absent',
    camera: 'absent',
    others: null,
    httpStatus: 200,
    splash: false,
    isBlank: false,
    launcher: false,
    signInForm: false,
    captcha: false,
    preJoin: false,
    nameBox: null,
    join: null,
    speakerIsOff: false,
    withoutComputerAudio: false,
    connecting: false,
    lobby: false,
    retry: null,
    endScreen: null,
    encryptionEnd: false,
    leaveControl: false,
    leaveGoneMs: null,
    callMarks: [],
    chatControl: false,
    chatPane: false,
    viewControl: false,
    peopleCount: null,
    endNotice: null,
    rosterSource: null,
    unattributedMs: 0,
    captionsShown: false,
    audioReceivers: 0,
    ...shown,
  }
}

export const PRE_JOIN: Partial<PageSnapshot> = {
  preJoin: true,
  nameBox: { value: '' },
  join: { label: 'Join now', isEnabled: true },
  microphone: 'off',
  camera: 'off',
}

/** The waiting room without its words: the controls of the page before it, one of them dead. */
export const LOBBY: Partial<PageSnapshot> = {
  ...PRE_JOIN,
  preJoin: false,
  lobby: true,
  join: { label: 'Join now', isEnabled: false },
}

export const CALL: Partial<PageSnapshot> = {
  microphone: 'off',
  camera: 'off',
  leaveControl: true,
  chatControl: true,
  callMarks: ['toolbar', 'tiles'],
  peopleCount: 3,
}

/** The one screen for many failures. */
export function retry(text: string, more: Partial<NonNullable<PageSnapshot['retry']>> = {}): Partial<PageSnapshot> {
  return { retry: { texts: [text], asksForCode: false, canRejoin: false, ...more }, lines: [text], headings: [text] }
}
