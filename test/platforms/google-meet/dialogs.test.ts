import { expect, test } from 'vitest'
import { dialogStep, kindOf } from '../../../platforms/google-meet/dialogs.ts'
import type { DialogSnapshot } from '../../../platforms/shared/page/types.ts'
import { DialogPacer } from '../../../platforms/shared/page-access/dialogs.ts'

const dialog = (text: string, ...buttons: [string, string | null][]): DialogSnapshot => ({
  text,
  isModal: true,
  isPersistent: false,
  buttons: buttons.map(([label, action], ref) => ({ label, action, ref })),
})
const ACCEPT = { consent: 'accept', wantsCamera: false } as const

test.each([
  [dialog('This video call is being recorded', ['Leave call', 'cancel'], ['Join now', 'ok']), 'consent', 'Join now'],
  [dialog('Gemini is taking notes', ['Leave call', 'cancel'], ['Join now', 'ok']), 'consent', 'Join now'],
  [
    dialog(
      'Do you want people to see and hear you in the meeting?',
      ['Use microphone and camera', 'ok'],
      ['Continue without microphone and camera', 'cancel'],
    ),
    'device_prompt',
    'Continue without microphone and camera',
  ],
  [
    dialog('Sign in with your Google account Instead of waiting to be let in, join meetings directly', [
      'Got it',
      null,
    ]),
    'signin_promo',
    'Got it',
  ],
  [dialog('Are you still there?', ['Leave now', 'cancel'], ['Stay in the call', 'ok']), 'alone', 'Stay in the call'],
  [
    dialog('Leave the meeting?', ['End the call for everyone', null], ['Just leave the call', null]),
    'leave_host',
    'Just leave the call',
  ],
  [dialog('Others may see your video differently', ['Got it', 'ok']), 'tip', 'Got it'],
  [dialog('You have been invited to join a breakout room', ['Join', 'ok'], ['Later', 'cancel']), 'breakout', 'Later'],
  [dialog('You have been invited to join a breakout room', ['Join', 'ok']), 'breakout', null],
  [dialog('Something new', ['Leave the beta', 'ok']), 'tip', null],
  [dialog('Something new', ['Try it', null], ['Settings', null]), 'tip', null],
  [dialog('Report a problem', ['Report', 'ok']), 'tip', null],
] as const)('%#: the right button, or none', (shown, kind, label) => {
  expect(kindOf(shown)).toBe(kind)
  expect(dialogStep(shown, ACCEPT)?.label ?? null).toBe(label)
})

test('a bot with a picture lets the page use its camera', () => {
  const shown = dialog('Do you want people to see and hear you', ['Use microphone and camera', 'ok'])
  expect(dialogStep(shown, { consent: 'accept', wantsCamera: true })?.label).toBe('Use microphone and camera')
})

test('a dialog that stays is pressed three times in a sweep, and again in the next', () => {
  const pacer = new DialogPacer(5000)
  expect([0, 500, 1000, 1500, 4000].map((at) => pacer.mayPress('tip/Got it', at))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ])
  expect(pacer.mayPress('tip/Got it', 6100)).toBe(true)
})
