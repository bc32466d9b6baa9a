import { expect, test } from 'vitest'
import { type LabelName, type PageStateText, WORDS } from '../../../platforms/jitsi/words.ts'
import { labelSources, matches } from '../../../platforms/shared/words.ts'

const LABELS = Object.keys(WORDS.labels) as LabelName[]
const labelsOf = (text: string) => LABELS.filter((label) => matches(WORDS.labels[label], text))

test.each<[string, LabelName[]]>([
  ['Leave the meeting', ['leave']],
  ['Leave the call', ['leave']],
  // The menu of those who may end it for all.
  ['Leave meeting', ['leaveOnly']],
  ['End meeting for all', []],
  ['Konferenz verlassen', ['leave', 'leaveOnly']],
  ['Mute microphone', ['microphoneOn']],
  ['Unmute microphone', ['microphoneOff']],
  ['Mute / Unmute', ['microphoneSwitch']],
  ['Start / Stop camera', ['cameraSwitch']],
  ['Open chat', ['openChat']],
  ['Close chat', ['closeChat']],
  ['Open / Close chat', ['openChat', 'closeChat']],
  ['Kamera einschalten', ['cameraOff']],
  ['Mute everyone else', []],
  ['Log-in', []],
])('%s', (text, expected) => {
  expect(labelsOf(text)).toEqual(expected)
})

test.each([
  'Ann Host joined the meeting',
  'You are the only one in the meeting',
  'Your microphone is muted by the moderator',
  "You've been muted by Ann Host",
  'Do you want to kick this participant?',
])('%s says nothing about an end', (text) => {
  expect((Object.keys(WORDS.states) as PageStateText[]).filter((name) => matches(WORDS.states[name], text))).toEqual([])
})

test('every label reaches the page as text of an expression', () => {
  const sources = labelSources(WORDS.labels)
  expect(Object.keys(sources).sort()).toEqual([...LABELS].sort())
  for (const source of Object.values(sources).flat()) expect(() => new RegExp(source, 'iu')).not.toThrow()
})
