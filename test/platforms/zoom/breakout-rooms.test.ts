import { expect, test } from 'vitest'
import { BreakoutRooms } from '../../../platforms/zoom/page/breakout-rooms.ts'

/** The buttons that a page shows, look after look, and whether breakout rooms are open then. */
test.each<[string, [shown: string[], areOpen: boolean][]]>([
  [
    'a guest has the button while they are open',
    [
      [['footer'], false],
      [['footer', 'roomsButton'], true],
      [['footer', 'roomsButton'], true],
      [['footer'], false],
      [['footer', 'roomsButton'], true],
    ],
  ],
  [
    'a host has the button at all times',
    [
      [['footer', 'roomsButton'], false],
      [['footer', 'roomsButton'], false],
    ],
  ],
  [
    'a bot that is moved has the button as a guest has',
    [
      [['roomLayer'], true],
      [['footer', 'roomsButton'], true],
      [['footer', 'roomsButton'], true],
      [['footer'], false],
    ],
  ],
  [
    'a page without its toolbar says nothing',
    [
      [[], false],
      [['footer', 'roomsButton'], false],
    ],
  ],
])('breakout rooms: %s', (_, looks) => {
  let shown: string[] = []
  const find = (name: string) => (shown.includes(name) ? ({} as Element) : null)
  const rooms = new BreakoutRooms({ first: find, drawn: find })
  const seen = looks.map(([elements]) => {
    shown = elements
    return rooms.areOpen()
  })
  expect(seen).toEqual(looks.map(([, areOpen]) => areOpen))
})
