/**
 * The dialogs of the meeting: names, titles, words and buttons (docs/platform-notes/zoom.md#device-dialogs, #walls,
 * #joining-audio, #notices-and-dialogs and #end-removal-and-leaving).
 */
import { CLASS, LABEL, TEXT } from './table.ts'

interface DialogButton {
  /** The English text, which the page translates. */
  text: string
  /** The choice that the page reports on a click. */
  choice: string
  primary?: boolean
}

export interface DialogLook {
  /** `aria-label` of the modal; empty if the real one has none. */
  label: string
  title: string
  /** `{0}` stands for the text that comes with the dialog. */
  body: string[]
  buttons: DialogButton[]
  /** An additional class of the dialog. */
  cls?: string
}

const OK: DialogButton = { text: 'OK', choice: 'ok', primary: true }
const GOT_IT: DialogButton = { text: TEXT.gotIt, choice: 'ok', primary: true }
const LEAVE: DialogButton = { text: TEXT.leave, choice: 'leave', primary: true }
const LEAVE_MEETING: DialogButton = { text: TEXT.leaveMeeting, choice: 'leave' }

const ended = (title: string): DialogLook => ({ label: LABEL.ended, title, body: [], buttons: [OK] })
const notice = (title: string, body: string[] = [], buttons = [GOT_IT]): DialogLook => ({
  label: title,
  title,
  body,
  buttons,
})

export const DIALOGS = {
  'bot-wall': {
    label: LABEL.botWall,
    title: 'Sign in to join',
    body: [
      "We detected you may be a bot. Automated bots aren't allowed to join this meeting or webinar and must use Zoom RTMS.",
      'If this was a mistake and you are a human, sign in to join the meeting.',
    ],
    buttons: [
      { text: 'Close', choice: 'close' },
      { text: 'Sign in', choice: 'sign-in', primary: true },
    ],
  },
  'bot-wall-curly': {
    label: LABEL.botWall,
    title: 'Sign in to join',
    body: [
      'We detected you may be a bot. Automated bots aren’t allowed to join this meeting or webinar and must use Zoom RTMS.',
      'If this was a mistake and you are a human, sign in to join the meeting.',
    ],
    buttons: [
      { text: 'Close', choice: 'close' },
      { text: 'Sign in', choice: 'sign-in', primary: true },
    ],
  },
  'error-1132': {
    label: 'Unable to join meeting',
    title: 'Unable to join meeting',
    body: ['Error code: 1132'],
    buttons: [OK],
  },
  'browser-off': { label: '', title: TEXT.browserOff, body: [], buttons: [OK] },
  policy: { label: '', title: TEXT.policyBlocked, body: [], buttons: [OK] },
  disclaimer: {
    label: 'Disclaimer',
    title: 'Acme Corporation',
    body: ['This meeting may be recorded for training. Do you agree to the rules of the house?'],
    buttons: [
      { text: 'Leave Meeting', choice: 'refuse' },
      { text: 'Agree', choice: 'agree', primary: true },
    ],
    cls: CLASS.disclaimer,
  },
  'join-audio': {
    label: 'join audio dialog',
    title: 'To hear others please join audio',
    body: [],
    buttons: [{ text: 'Join Audio by Computer', choice: 'join-audio', primary: true }],
    cls: CLASS.joinAudioByPc,
  },
  unmute: {
    label: '',
    title: 'The host would like you to unmute',
    body: [],
    buttons: [
      { text: 'Stay muted', choice: 'stay' },
      { text: TEXT.unmute, choice: 'unmute', primary: true },
    ],
  },
  recording: {
    label: 'Recording disclaimer',
    title: 'This meeting is being recorded',
    body: ['By staying in this meeting, you consent to being recorded.'],
    buttons: [LEAVE_MEETING, GOT_IT],
    cls: CLASS.recordingDisclaimer,
  },
  livestream: notice(
    'This meeting is being livestreamed',
    ['By staying in this meeting, you consent to being livestreamed.'],
    [LEAVE_MEETING, GOT_IT],
  ),
  ai: notice('AI Companion has been turned on'),
  'ai-summary': notice('Meeting Summary with AI Companion is on', [], [OK]),
  breakout: notice(
    'You have been assigned to Breakout Room: Room 1',
    [],
    [
      { text: 'Later', choice: 'later' },
      { text: 'Join', choice: 'join', primary: true },
    ],
  ),
  ended: ended('This meeting has been ended by host'),
  'ended-other-meeting': ended('This meeting has ended as someone has started a new meeting with this account'),
  'ended-by-admin': ended('This meeting has been ended by your admin'),
  'ended-free': { label: LABEL.ended, title: 'Your free meeting has ended', body: [], buttons: [OK] },
  removed: {
    label: LABEL.removed,
    title: 'You have been removed',
    body: ['You have been removed from this meeting by the host.'],
    buttons: [LEAVE],
  },
  'removed-before': {
    label: LABEL.removedBefore,
    title: 'Leave meeting',
    body: ['You are unable to rejoin this meeting because you were previously removed by the host'],
    buttons: [LEAVE],
  },
  locked: {
    label: LABEL.locked,
    title: 'The meeting has been locked',
    body: ['You cannot join this meeting now because the host locked it.'],
    buttons: [LEAVE],
  },
  full: { label: LABEL.full, title: "The meeting is at the host's allowed capacity", body: [], buttons: [LEAVE] },
  duplicate: {
    label: '',
    title: 'You have joined this meeting on another platform.',
    body: ['This window will be exited.'],
    buttons: [OK],
  },
  reconnecting: {
    label: '',
    title: 'Reconnecting...',
    body: ['Your network connection is unstable.'],
    buttons: [],
    cls: CLASS.reconnect,
  },
  timeout: {
    label: '',
    title: 'Joining Meeting Timeout or Browser restriction',
    body: ['Your network connection has timed out or your organization has disabled access to Zoom from the browser'],
    buttons: [
      { text: 'Report Problem', choice: 'report' },
      { text: 'Retry', choice: 'retry' },
      { text: TEXT.leave, choice: 'leave', primary: true },
    ],
    cls: CLASS.reconnect,
  },
  // The SDK's own (docs/platform-notes/zoom.md#join-parameters, #how-sdk-failures-are-reported and
  // #recording-permission).
  'record-permission': {
    label: '',
    title: 'Permission needed from Meeting Host',
    body: [],
    buttons: [{ text: 'Close', choice: 'close', primary: true }],
  },
  'user-left': { label: '', title: 'The authorized user left the meeting.', body: [], buttons: [OK] },
  'obf-error': { label: 'Join error', title: 'Join error', body: ['{0}'], buttons: [LEAVE] },
  'token-error': { label: 'Token Error', title: 'Token Error', body: ['{0}'], buttons: [OK] },
} satisfies Record<string, DialogLook>

export type DialogKind = keyof typeof DIALOGS
