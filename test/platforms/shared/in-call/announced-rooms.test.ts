import { describe, expect, test } from 'vitest'
import { WORDS as MEET } from '../../../../platforms/google-meet/words.ts'
import { WORDS as TEAMS } from '../../../../platforms/microsoft-teams/words.ts'
import { AnnouncedRooms } from '../../../../platforms/shared/in-call/announced-rooms.ts'

const OPENED = 'Breakout rooms are open'
const CLOSING = 'Breakout rooms are closing in 30 seconds'

/** For how many seconds how many others are there, and what the page says → whether rooms are open then. */
test.each([
  [
    'people who leave after the words are in the rooms, until all are back',
    '30 s 4 → no, 5 s 4 OPENED → no, 60 s 1 → yes, 600 s 0 → yes, 1 s unknown → yes, 5 s 2 → yes, 5 s 4 → no',
  ],
  ['people who left just before the words count too', '30 s 4 → no, 5 s 0 → no, 1 s 0 OPENED → yes, 60 s 0 → yes'],
  [
    'without the words, or with all people present, no rooms are open',
    '30 s 4 → no, 300 s 0 → no, 5 s 0 OPENED → no, 300 s 0 → no',
  ],
  [
    'the words that the rooms close end it; later words open them again',
    '5 s 3 OPENED → no, 60 s 0 → yes, 5 s 0 CLOSING → no, 60 s 0 → no, 60 s 3 → no, 5 s 3 OPENED → no, 60 s 0 → yes',
  ],
])('%s', (_what, story) => {
  const rooms = new AnnouncedRooms(MEET.rooms)
  let at = 0
  const seen = story.split(', ').map((part) => {
    const [, said, seconds, others, words] = /^((\d+) s (\w+) ?(\w*)) →/.exec(part)!
    const texts = words === '' ? [] : [words === 'OPENED' ? OPENED : CLOSING]
    let areOpen = false
    for (const end = at + Number(seconds) * 1000; at < end; at += 1000)
      areOpen = rooms.areOpen(texts, others === 'unknown' ? null : Number(others), at)
    return `${said} → ${areOpen ? 'yes' : 'no'}`
  })
  expect(seen.join(', ')).toBe(story)
})

test('words that never end are forgotten after two hours', () => {
  const rooms = new AnnouncedRooms(MEET.rooms)
  rooms.areOpen([OPENED], 3, 0)
  expect([rooms.areOpen([], 0, 7_200_000), rooms.areOpen([], 0, 7_200_001)]).toEqual([true, false])
})

describe.each([
  ['Google Meet', MEET.rooms],
  ['Microsoft Teams', TEAMS.rooms],
])('words of %s', (_platform, words) => {
  test.each([
    ['Breakout rooms are open', true],
    ['Breakout rooms have been opened', true],
    ['Your breakout room is open', true],
    ['You have been invited to join a breakout room', true],
    ['You will be moved to your breakout room in 10 seconds', true],
    ['Return to breakout room', true],
    ['Training about breakout rooms', false],
    ['Breakout rooms', false],
    ['Breakout rooms are closing in 30 seconds', false],
    ['Breakout rooms were closed', false],
    ['Your breakout room will close in 1 minute', false],
    ['You will return to the main call', false],
  ])('%s: %s', (text, areOpen) => {
    const rooms = new AnnouncedRooms(words)
    rooms.areOpen([text], 2, 0)
    expect(rooms.areOpen([], 0, 1)).toBe(areOpen)
  })
})
