import { expect, test } from 'vitest'
import { answerDialog } from '../../../platforms/zoom/dialogs.ts'
import { dialog } from './snapshots.ts'

const ACCEPT = { consent: 'accept' } as const

test.each([
  ['This meeting is being recorded', ['Leave Meeting', 'Got it'], 'Got it'],
  [
    "This meeting is being recorded. It's also being transcribed for AI Companion.",
    ['Leave Meeting', 'Got it'],
    'Got it',
  ],
  ['This meeting is being livestreamed.', ['Leave Meeting', 'Got it'], 'Got it'],
  ['AI Companion has been turned on', ['OK'], 'OK'],
  ['Meeting Summary with AI Companion is on', ['Close'], 'Close'],
  ['Our own terms', ['Cancel', 'Agree'], 'Agree'],
  ['To hear others please join audio', ['Join Audio by Computer'], 'Join Audio by Computer'],
  ['The host would like you to unmute', ['Unmute', 'Stay muted'], 'Stay muted'],
  ['You have been assigned to Breakout Room: Room 1', ['Join', 'Later'], 'Later'],
  ['Do you want others to hear you?', ['Allow', 'Continue without microphone'], 'Allow'],
  [
    'Wie möchten Sie teilnehmen?',
    ['Use microphone and camera', 'Continue without microphone and camera'],
    'Use microphone and camera',
  ],
  ['Your microphone is muted', ['Got it'], 'Got it'],
])('%s: of %j the button %s', (text, labels, pressed) => {
  expect(answerDialog(dialog(text, ...labels), ACCEPT)?.press?.label).toBe(pressed)
})

test.each([
  ['You have been removed', ['Leave']],
  ['This meeting has been ended by host', ['OK']],
  ['Sign in to join We detected you may be a bot.', ['Close', 'Sign in']],
  ['Joining Meeting Timeout or Browser restriction', ['Report Problem', 'Retry', 'Leave']],
  ['All Breakout Rooms will close in 60 seconds.', ['Leave Room']],
])('%s is read and not pressed', (text, labels) => {
  expect(answerDialog(dialog(text, ...labels), ACCEPT)).toBeNull()
})

test('a button that ends, leaves or signs in is never a dismissal', () => {
  const labels = ['End Meeting', 'Leave', 'Sign in', 'Unmute', 'Stop']
  expect(answerDialog(dialog('A question nobody knows', ...labels), ACCEPT)?.press ?? null).toBeNull()
})
