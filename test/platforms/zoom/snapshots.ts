/** Signs of pages, made from the differences to an empty one. */
import type { DialogSnapshot } from '../../../platforms/shared/page/types.ts'
import type { FormSnapshot, PageSnapshot } from '../../../platforms/zoom/page/types.ts'

const CLIENT_URL = 'https://app.zoom.us/wc/88240852079/join'

export function snapshot(more: Partial<PageSnapshot> = {}): PageSnapshot {
  return {
    at: 0,
    url: CLIENT_URL,
    lang: 'en',
    lines: [],
    headings: [],
    dialogs: [],
    microphone: 'absent',
    camera: 'absent',
    others: null,
    title: 'Zoom',
    pageError: null,
    launchPage: false,
    cookieBanner: false,
    termsAsked: false,
    disclaimer: null,
    form: null,
    captcha: false,
    dialogNames: [],
    joining: null,
    waiting: null,
    marks: [],
    meetingApp: false,
    leaveControl: false,
    isHost: false,
    leaveOptions: false,
    audio: 'absent',
    hears: false,
    reconnecting: null,
    peopleCount: null,
    peoplePanel: false,
    chatPanel: false,
    view: null,
    isBlank: false,
    isListDue: false,
    ...more,
  }
}

export const FORM: FormSnapshot = {
  client: 'react',
  name: { value: '', isEnabled: true },
  passcode: null,
  asksForEmail: false,
  join: { label: 'Join', isEnabled: false },
  errors: [],
  isSettled: true,
}

/** In the meeting, with nothing over it. */
export const CALL: Partial<PageSnapshot> = {
  meetingApp: true,
  marks: ['footer', 'speaker'],
  leaveControl: true,
  audio: 'joined',
  microphone: 'off',
}

export function dialog(text: string, ...labels: string[]): DialogSnapshot {
  const buttons = labels.map((label, ref) => ({ label, action: null, ref }))
  return { text, isModal: true, isPersistent: false, buttons }
}
