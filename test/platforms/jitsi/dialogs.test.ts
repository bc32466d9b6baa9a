import { expect, test } from 'vitest'
import { answerOf, mayBeAnswered } from '../../../platforms/jitsi/dialogs.ts'
import type { DialogSnapshot } from '../../../platforms/jitsi/page/types.ts'
import { snapshot } from './snapshots.ts'

function dialog(text: string, ...labels: string[]): DialogSnapshot {
  const buttons = labels.map((label, ref) => ({ label, action: null, ref }))
  return { text, isModal: true, isPersistent: false, buttons }
}
const pressed = (shown: DialogSnapshot) => answerOf(shown, { consent: 'accept' })?.press?.label ?? null

test.each([
  [
    'a consent keeps the bot muted',
    dialog(
      'Recording in progress This meeting',
      'I understand, please unmute me',
      'I understand, keep me muted for now',
    ),
    'I understand, keep me muted for now',
  ],
  [
    'waiting for a moderator goes on',
    dialog('Waiting for a moderator…', 'Log-in', 'Wait for moderator'),
    'Wait for moderator',
  ],
  ['a way out of the room is no answer', dialog('Waiting for a moderator…', 'Log-in', 'Cancel'), null],
  [
    'what the bot writes goes to everybody',
    dialog('Send privately? You recently received', 'Send to the group', 'Send privately'),
    'Send to the group',
  ],
  ['a hint is put away', dialog('Polls are now in the chat panel.', 'More', 'Dismiss'), 'Dismiss'],
  ['unknown buttons are not touched', dialog('Do you agree?', 'Yes', 'No'), null],
  ['a password is not typed here', dialog('Password required', 'Cancel', 'OK'), null],
  ['nor an account', dialog('Authentication required', 'Cancel', 'OK'), null],
] as const)('%s', (_name, shown, label) => {
  expect(pressed(shown)).toBe(label)
})

test('why a meeting was over is not pressed away', () => {
  expect(mayBeAnswered(snapshot({ leaveReason: 'The meeting has been terminated' }))).toBe(false)
  expect(mayBeAnswered(snapshot({ overlay: { kind: 'network', text: '' } }))).toBe(false)
  expect(mayBeAnswered(snapshot())).toBe(true)
})
