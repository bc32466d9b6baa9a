/** The states in which a visit ends, and the page's text in each. */
import type { View } from './page/protocol.ts'

export type FinalState =
  | 'blocked'
  | 'denied'
  | 'requestTimeout'
  | 'hostEnded'
  | 'removed'
  | 'unverified'
  | 'full'
  | 'everyoneLeft'
  | 'left'
  | 'invalid'
  | 'expired'

export const HOME = 'https://meet.google.com/landing'
export const MARKETING = 'https://workspace.google.com/products/meet/'

type Final = Extract<View, { name: 'final' }>

const HOME_BUTTON = 'Return to home screen'

function final(heading: string, rest: Partial<Final> = {}): Final {
  return {
    name: 'final',
    heading,
    body: [],
    buttons: [HOME_BUTTON],
    countdownTo: HOME,
    lobbyText: 'gone',
    callEnded: false,
    ...rest,
  }
}

export const FINAL_VIEWS = {
  blocked: final("You can't join this video call", {
    body: ['No one can join a meeting unless invited or admitted by the host'],
    countdownTo: MARKETING,
  }),
  denied: final('Someone in the call denied your request to join', {
    buttons: ['Ask to join again', HOME_BUTTON],
    countdownTo: MARKETING,
  }),
  deniedAsLeft: final('You left the meeting', { buttons: ['Rejoin', HOME_BUTTON], countdownTo: MARKETING }),
  requestTimeout: final('No one responded to your request to join the call', {
    buttons: ['Ask to join again', HOME_BUTTON],
    countdownTo: MARKETING,
  }),
  hostEnded: final('Your host ended the meeting for everyone', { callEnded: true }),
  otherWords: final('This call rests until next week', { countdownTo: null }),
  removed: final("You've been removed from the meeting", { callEnded: true }),
  // No page was seen to say these two.
  unverified: final("You've been removed from the meeting", {
    body: ['Unverified participants are removed from a meeting with a watermark'],
    callEnded: true,
  }),
  full: final('This video call is full'),
  everyoneLeft: final('The call ended because everyone left', { buttons: ['Rejoin', HOME_BUTTON], callEnded: true }),
  left: final('You left the meeting', { buttons: ['Rejoin', HOME_BUTTON], callEnded: true }),
  leftNewCopy: final("You've left the call", { buttons: ['Rejoin', HOME_BUTTON], callEnded: true }),
  'invalid-code': final('Check your meeting code', {
    body: [
      'Make sure you entered the correct meeting code in the URL, for example: https://meet.google.com/xxx-yyyy-zzz',
    ],
  }),
  'code-does-not-work': final('The meeting code you entered doesn’t work'),
  'invalid-name': final('Invalid video call name'),
  'expired-code': final('Your meeting code has expired'),
  callError: final("Couldn't start the video call because of an error", { buttons: [], countdownTo: null }),
} satisfies Record<string, Final>

export type FinalView = keyof typeof FINAL_VIEWS
