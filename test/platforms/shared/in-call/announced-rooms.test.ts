import { describe, expect, test } from 'vitest'
import { WORDS as MEET } from '../../../../platforms/google-meet/words.ts'
import { WORDS as TEAMS } from '../../../../platforms/microsoft-teams/words.ts'
import { AnnouncedRooms } from '../../../../platforms/shared/in-call/announced-rooms.ts'

const SECOND = 1000
const HOUR = 3600 * SECOND
const OPENED = 'Breakout rooms are open'
const CLOSING = 'Breakout rooms are closing in 30 seconds'

/** Polls once a second: how many others there are at each, and what the page says. */
function watch() {
  const rooms = new AnnouncedRooms(MEET.rooms)
  let at = 0
  return (seconds: number, others: number | null, ...texts: string[]): boolean => {
    let areOpen = false
    for (let second = 0; second < seconds; second++) {
      at += SECOND
      areOpen = rooms.areOpen(texts, others, at)
    }
    return areOpen
  }
}

test('people who leave after the words are in the rooms, until all are back', () => {
  const poll = watch()
  expect(poll(30, 4)).toBe(false)
  expect(poll(5, 4, OPENED)).toBe(false)
  expect(poll(60, 1)).toBe(true)
  expect(poll(600, 0)).toBe(true)
  expect(poll(1, null)).toBe(true)
  expect(poll(5, 2)).toBe(true)
  expect(poll(5, 4)).toBe(false)
})

test('people who left just before the words count too', () => {
  const poll = watch()
  poll(30, 4)
  poll(5, 0)
  expect(poll(1, 0, OPENED)).toBe(true)
  expect(poll(60, 0)).toBe(true)
})

test('without the words, or with all people present, no rooms are open', () => {
  const poll = watch()
  poll(30, 4)
  expect(poll(300, 0)).toBe(false)
  expect(poll(5, 0, OPENED)).toBe(false)
  expect(poll(300, 0)).toBe(false)
})

test('the words that the rooms close end it; later words open them again', () => {
  const poll = watch()
  poll(5, 3, OPENED)
  expect(poll(60, 0)).toBe(true)
  expect(poll(5, 0, CLOSING)).toBe(false)
  expect(poll(60, 0)).toBe(false)
  poll(60, 3)
  poll(5, 3, OPENED)
  expect(poll(60, 0)).toBe(true)
})

test('words that never end are forgotten after two hours', () => {
  const rooms = new AnnouncedRooms(MEET.rooms)
  rooms.areOpen([OPENED], 3, 0)
  expect(rooms.areOpen([], 0, 2 * HOUR)).toBe(true)
  expect(rooms.areOpen([], 0, 2 * HOUR + 1)).toBe(false)
})

describe.each([
  ['Google Meet', MEET.rooms],
  ['Microsoft Teams', TEAMS.rooms],
])('words of %s', (_platform, words) => {
  const said = (text: string) => {
    const rooms = new AnnouncedRooms(words)
    rooms.areOpen([text], 2, 0)
    return rooms.areOpen([], 0, 1)
  }

  test.each([
    'Breakout rooms are open',
    'Breakout rooms have been opened',
    'Your breakout room is open',
    'You have been invited to join a breakout room',
    'You will be moved to your breakout room in 10 seconds',
    'Return to breakout room',
  ])('%s', (text) => {
    expect(said(text)).toBe(true)
  })

  test.each([
    'Training about breakout rooms',
    'Breakout rooms',
    'Breakout rooms are closing in 30 seconds',
    'Breakout rooms were closed',
    'Your breakout room will close in 1 minute',
    'You will return to the main call',
  ])('%s opens nothing', (text) => {
    expect(said(text)).toBe(false)
  })
})
