import { expect, test } from 'vitest'
import { answerOf } from '../../../platforms/microsoft-teams/dialogs.ts'

const accept = { consent: 'accept' } as const
const dialog = (text: string, ...labels: string[]) => ({
  text,
  isModal: true,
  isPersistent: false,
  buttons: labels.map((label, ref) => ({ label, action: null, ref })),
})

test.each([
  [
    'without devices',
    dialog("Are you sure you don't want audio or video?", 'Close', 'Continue without audio or video'),
    'Continue without audio or video',
  ],
  ['consent', dialog('By joining, you are giving consent for this meeting to be transcribed.', 'Close', 'OK'), 'OK'],
  ['idle', dialog('Are you still there?', 'Leave', 'Stay'), 'Stay'],
  ['a notice', dialog('Your meeting is ready', 'Close', 'Got it'), 'Got it'],
  ['a breakout room', dialog('You have been assigned to a breakout room', 'Close', 'Join room', 'Not now'), 'Not now'],
])('%s: the right button is pressed', (_what, shown, label) => {
  expect(answerOf(shown, accept)?.press?.label).toBe(label)
})

test.each([
  ['a captcha', dialog("Verify you're a real person", 'Play audio', 'Close')],
  ['leaving', dialog('Leave the meeting?', 'Leave', 'Cancel')],
  ['ending for all', dialog('End the meeting for everyone?', 'End', 'Cancel')],
  ['a breakout room without a choice', dialog('You have been assigned to a breakout room', 'OK')],
  ['nothing known', dialog('What do you think of this call?', 'Send feedback')],
])('%s: no button is touched', (_what, shown) => {
  expect(answerOf(shown, accept)?.press ?? null).toBeNull()
})
