import { expect, test } from 'vitest'
import { type LabelName, type PageStateText, WORDS } from '../../../platforms/google-meet/words.ts'
import { labelSources, matches, plain } from '../../../platforms/shared/words.ts'

test.each([
  ["You'll join the call when someone lets you in", 'lobby'],
  ['You’ll join the call when someone lets you in', 'lobby'],
  ['Asking to be let in…', 'lobby'],
  ['ASKING TO JOIN...', 'lobby'],
  ['Please wait until a meeting host brings you into the call', 'lobby'],
  ['Please wait until a meeting host admits you to the call', 'lobby'],
  ["You're in the waiting room", 'lobby'],
  ['Bitte warten Sie, bis Sie vom Organisator eingelassen werden', 'lobby'],
  ['You\u00a0can’t join this\u202fvideo call', 'blocked'],
  ['Niemand hat auf Ihre Teilnahmeanfrage geantwortet', 'request_timed_out'],
  ['You’ve been removed from the meeting', 'removed'],
  ['You lost your network connection. Trying to reconnect', 'reconnecting'],
] as const)('%s says %s', (text, state) => {
  expect(matches(WORDS.states[state], text)).toBe(true)
})

test.each([
  'No one else is here',
  'Ready to join?',
  'Ann and Bob are in this call',
  "You're the only one here",
  'Your call is ending soon',
  'Are you talking? Your mic is off.',
  'Dana joined',
  'Ann Host left',
])('%s says nothing about an end or a waiting room', (text) => {
  const found = (Object.keys(WORDS.states) as PageStateText[]).filter((name) => matches(WORDS.states[name], text))
  expect(found).toEqual([])
})

test.each([
  ['Other ways to join', false],
  ['Join and use a phone for audio', false],
  ['Rejoin', false],
  ['Ask to join again', false],
  ['Use Companion mode', false],
  ['Ask to join anyway', true],
  ['Join here too', true],
])('%s may be the join button: %s', (label, isJoin) => {
  expect(matches(WORDS.labels.join, label) || matches(WORDS.labels.joinWording, label)).toBe(isJoin)
})

test('every label is one expression that the page can compile', () => {
  const sources = labelSources(WORDS.labels)
  for (const name of Object.keys(WORDS.labels) as LabelName[])
    expect(() => new RegExp(sources[name], 'iu'), name).not.toThrow()
  expect(new RegExp(sources.microphoneOn, 'iu').test(plain('Turn off microphone (ctrl + d)'))).toBe(true)
  expect(new RegExp(sources.peopleCount, 'iu').exec(plain('People - 12 joined'))?.[1]).toBe('12')
  expect(new RegExp(sources.peopleCount, 'iu').exec('People3')?.[1]).toBe('3')
})

test('wording is written in the form in which it is compared', () => {
  for (const expressions of Object.values(WORDS).flatMap((part) => Object.values(part) as (readonly RegExp[])[])) {
    for (const { source } of expressions) expect(source).not.toMatch(/[’‘…\u00a0]/)
  }
})
