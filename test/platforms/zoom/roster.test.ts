import { expect, test } from 'vitest'
import type { SeenRow } from '../../../platforms/zoom/page/people-panel.ts'
import { Roster } from '../../../platforms/zoom/page/roster.ts'
import type { SeenTile } from '../../../platforms/zoom/page/tiles.ts'

const ME = row('Notes', { isSelf: true })

function row(name: string, more: Partial<SeenRow> = {}): SeenRow {
  return { name, isSelf: false, isHost: false, ...more }
}

function tile(name: string, userId: number | null = null): SeenTile {
  // The roster looks at no element; a test without a page has none.
  const element = null as unknown as Element
  return { name, userId, isMuted: false, isActive: false, hasPicture: userId !== null, element }
}

function rosterOf(...names: string[]) {
  const roster = new Roster('Notes')
  const list = (...now: string[]) =>
    roster.takeList({ rows: [ME, ...now.map((name) => row(name))], isOneLook: true }, null, 0)
  list(...names)
  const ids = (name: string) =>
    roster
      .present()
      .filter((person) => person.name === name)
      .map(({ id }) => id)
  return { roster, list, ids }
}

test('the list names every participant but the bot, and a host is one', () => {
  const roster = new Roster('Notes')
  roster.takeList({ rows: [ME, row('Ann', { isHost: true }), row('Bob')], isOneLook: true }, null, 0)
  expect(roster.selfIsKnown(null)).toBe(true)
  expect(roster.present()).toEqual([
    { id: 'participant-1', name: 'Ann', isHost: true, userId: null },
    { id: 'participant-2', name: 'Bob', isHost: false, userId: null },
  ])
})

test('a participant with the name of the bot is another participant', () => {
  const { roster } = rosterOf('Notes', 'Ann')
  expect(roster.present().map(({ name }) => name)).toEqual(['Notes', 'Ann'])
})

test('namesakes are two people, and one of them can leave', () => {
  const { roster, list, ids } = rosterOf('Ann', 'Ann', 'Bob')
  expect(new Set(ids('Ann')).size).toBe(2)
  const [bob] = ids('Bob')
  list('Ann', 'Bob')
  expect(ids('Ann')).toHaveLength(1)
  expect(ids('Bob')).toEqual([bob])
  expect(roster.present()).toHaveLength(2)
})

test('one name for another in one look is a new name of the same person', () => {
  const { list, ids } = rosterOf('Ann', 'Bob')
  const [before] = ids('Bob')
  list('Ann', 'Robert')
  expect(ids('Robert')).toEqual([before])
})

test('in a list that took several looks to read it may be two people', () => {
  const { roster, ids } = rosterOf('Ann', 'Bob')
  const [before] = ids('Bob')
  roster.takeList({ rows: [ME, row('Ann'), row('Robert')], isOneLook: false }, null, 0)
  expect(ids('Robert')).not.toEqual([before])
})

test('a tile is whose name it shows, and its number stays with the person', () => {
  const { roster, ids } = rosterOf('Ann', 'Bob')
  const [owner] = roster.takeTiles([tile('Bob', 2048)], 3, 0)
  expect(owner?.id).toBe(ids('Bob')[0])
  expect(roster.ofUser(2048)?.name).toBe('Bob')
  // Under another name the number still says who it is.
  expect(roster.takeTiles([tile('', 2048)], 3, 0)[0]?.name).toBe('Bob')
})

test('tiles of namesakes go to different people, and the numbers keep them apart', () => {
  const { roster } = rosterOf('Ann', 'Ann')
  const first = roster.takeTiles([tile('Ann', 1024), tile('Ann', 2048)], 3, 0)
  expect(new Set(first.map((owner) => owner?.id)).size).toBe(2)
  const again = roster.takeTiles([tile('Ann', 2048), tile('Ann', 1024)], 3, 0)
  expect(again.map((owner) => owner?.id)).toEqual([first[1]?.id, first[0]?.id])
})

test("the bot's own tile has no owner", () => {
  const { roster } = rosterOf('Ann')
  expect(roster.takeTiles([tile('Notes', 4096), tile('Ann')], 2, 0).map((owner) => owner?.name ?? null)).toEqual([
    null,
    'Ann',
  ])
  expect(roster.present()).toHaveLength(1)
})

test('without a list tiles name participants, and a participant who may only be out of view stays', () => {
  const roster = new Roster('Notes')
  roster.takeTiles([tile('Ann', 1024), tile('Bob', 2048)], 3, 0)
  expect(roster.present().map(({ name }) => name)).toEqual(['Ann', 'Bob'])
  for (let look = 0; look < 20; look++) roster.takeTiles([tile('Ann', 1024)], 3, 0)
  expect(roster.present()).toHaveLength(2)
  for (let look = 0; look < 20; look++) roster.takeTiles([tile('Ann', 1024)], 2, 0)
  expect(roster.present().map(({ name }) => name)).toEqual(['Ann'])
})

test('a sender in the chat gives a person without a camera its number, a namesake gets none', () => {
  const { roster } = rosterOf('Ann', 'Bob', 'Bob')
  roster.takeSender(1024, 'Ann')
  roster.takeSender(2048, 'Bob')
  expect(roster.ofUser(1024)?.name).toBe('Ann')
  expect(roster.ofUser(2048)).toBeNull()
})

test('without a list it is certain that the bot is no other tile when the number of participants agrees', () => {
  const roster = new Roster('Notes')
  roster.takeTiles([tile('Ann', 1024)], 2, 0)
  expect(roster.selfIsKnown(2)).toBe(true)
  expect(roster.selfIsKnown(3)).toBe(false)
  expect(roster.selfIsKnown(null)).toBe(false)
})

test('the list is due until it was read, when the number of people changes, and after a while', () => {
  const roster = new Roster('Notes')
  expect(roster.isListDue(2, 0)).toBe(true)
  roster.takeList({ rows: [ME, row('Ann')], isOneLook: true }, 2, 0)
  expect(roster.isListDue(2, 1000)).toBe(false)
  expect(roster.isListDue(3, 1000)).toBe(true)
  expect(roster.isListDue(2, 60_000)).toBe(true)
})

test('when one of several without a tile leaves, none is removed until the list shows who left', () => {
  const { roster, list } = rosterOf('Ann', 'Bob', 'Cleo', 'Dan')
  const later = 60_000
  for (let look = 0; look < 20; look++) roster.takeTiles([tile('Ann', 1024)], 5, later)
  for (let look = 0; look < 20; look++) roster.takeTiles([tile('Ann', 1024)], 4, later)
  expect(roster.present()).toHaveLength(4)
  list('Ann', 'Bob', 'Dan')
  expect(roster.present().map(({ name }) => name)).toEqual(['Ann', 'Bob', 'Dan'])
})

test('a new name on a tile where every participant is known is no new participant, but a reason to read the list', () => {
  const { roster, ids } = rosterOf('Ann', 'Bob')
  const [bob] = ids('Bob')
  roster.takeList({ rows: [ME, row('Ann'), row('Bob')], isOneLook: true }, 3, 0)
  expect(roster.isListDue(3, 10_000)).toBe(false)
  roster.takeTiles([tile('Ann'), tile('Robert')], 3, 10_000)
  expect(roster.present().map(({ name }) => name)).toEqual(['Ann', 'Bob'])
  expect(roster.isListDue(3, 10_000)).toBe(true)
  roster.takeList({ rows: [ME, row('Ann'), row('Robert')], isOneLook: true }, 3, 10_000)
  expect(ids('Robert')).toEqual([bob])
  expect(roster.isListDue(3, 10_000)).toBe(false)
})
