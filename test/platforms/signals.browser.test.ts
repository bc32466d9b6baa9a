/**
 * A bot does its work without the marks that no real page was seen to have, and the counts show which signal answered.
 */
import { PAGE_SIGNALS, type SignalPlatform } from '@standin/wire/page-signals.ts'
import { describe, expect, test } from 'vitest'
import { meetHarness } from './google-meet/harness.ts'
import { teamsHarness } from './microsoft-teams/harness.ts'
import { browserWithout } from './without-marks.ts'
import { zoomHarness } from './zoom/harness.ts'

type Harness = ReturnType<typeof meetHarness> | ReturnType<typeof teamsHarness> | ReturnType<typeof zoomHarness>

const WITHOUT_MARKS = {
  meet: browserWithout([
    ['jsname', /^(?:YPqjbf|EszDse)$/],
    ['aria-label', /^Your name$/],
    ['placeholder', /^Your name$/],
    ['data-self-name', /./],
    ['data-panel-id', /^1$/],
    ['data-mdc-dialog-action', /^returnToHomePage$/],
  ]),
  teams: browserWithout([
    [
      'data-tid',
      /lobby|waiting|retry|declined|meeting-end|call-ended|post-call|rejoin|badge|button-tile|ckeditor|Commands-send/,
    ],
    ['id', /^calling-retry-screen/],
    ['class', /^(?:fui-ChatMyMessage(?:__body)?|ck-editor__editable)$/],
    ['data-person-mri', /./],
  ]),
  zoom: browserWithout([
    ['aria-label', /^Meeting is end now$/],
    [
      'class',
      /^(?:waiting-room-container|meeting-on-hold|new-chat-item__chat-info-header|chat-item__sender|recording-disclaimer-dialog)$|text-content--self$/,
    ],
  ]),
}

/** Waits in the waiting room, hears and says something, and is there when the host ends the meeting. */
async function visit(harness: Harness, scenario: string, driver = {}) {
  const attempt = await harness.attempt(scenario, { driver })
  expect(await attempt.driver.join(attempt.signal)).toBe('waiting_room')
  attempt.meeting.admit()
  await attempt.driver.waitForAdmission(attempt.signal)
  attempt.driver.watch((event) => attempt.events.push(event))
  await attempt.driver.prepareRecording(attempt.signal)
  await attempt.event('participant_joined', ({ participant }) => participant.name === 'Ann Host')
  await attempt.driver.sendChat('Hello')
  await attempt.event('chat_message', ({ message }) => message.isOwn && message.text === 'Hello')
  attempt.meeting.endForAll()
  await attempt.event('ended', ({ end }) => end === 'ended_for_all')
  await attempt.driver.close()
  return attempt.driver.signalCounts
}

/** Questions that every such visit asks. */
const ASKED = {
  meet: ['name_box', 'in_call', 'people_button', 'own_tile', 'out'],
  teams: ['lobby', 'in_call', 'people_count', 'chat_box', 'chat_send', 'own_message', 'out'],
  zoom: ['waiting', 'in_call', 'message_sender', 'own_message', 'out'],
} as const

const PLATFORMS = [
  ['meet', meetHarness(), 'waiting-room'],
  ['teams', teamsHarness(), 'waiting-room'],
  ['zoom', zoomHarness(), 'waiting-room'],
] as const satisfies [SignalPlatform, Harness, string][]

describe.each(PLATFORMS)('%s', (platform, harness, scenario) => {
  const signalsOf = (question: string, isProven: boolean) =>
    Object.entries<Record<string, boolean>>(PAGE_SIGNALS[platform])
      .filter(([name]) => name === question)
      .flatMap(([, signals]) => Object.keys(signals).filter((signal) => signals[signal] === isProven))
  const sum = (counts: Readonly<Record<string, number>>, question: string, isProven: boolean) =>
    signalsOf(question, isProven).reduce((all, signal) => all + (counts[`${question}.${signal}`] ?? 0), 0)

  test('without the unproven marks the bot does the same, and their counts are 0', async () => {
    const counts = await visit(harness, scenario, { openBrowser: WITHOUT_MARKS[platform] })
    expect(ASKED[platform].filter((question) => sum(counts, question, true) === 0)).toEqual([])
    expect(ASKED[platform].filter((question) => sum(counts, question, false) > 0)).toEqual([])
  })
})
