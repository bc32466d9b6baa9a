import { expect, test } from 'vitest'
import { People } from '../../../platforms/jitsi/page/people.ts'
import type { StoreView } from '../../../platforms/jitsi/page/store.ts'

const STORE: StoreView = {
  isJoined: true,
  selfId: 'aaaa0000',
  people: [],
  tracks: [],
  dominantId: null,
  failure: null,
  waitsForModerator: false,
  areRoomsOpen: false,
  isLobbyShown: false,
  isKnocking: false,
  microphone: 'off',
  camera: 'off',
  isChatOpen: false,
}
const ann = { id: 'bbbb1111', name: 'Ann', isHost: true }
const inStore = (person: typeof ann) => ({ ...person, isHandRaised: false })
const tile = (id: string, name: string) => ({ id, name, stream: null })
const screen = (ownerId: string, isMuted: boolean) =>
  ({ ownerId, kind: 'screen', isMuted, track: null, stream: null }) as const

test('the state of the page overrules its tiles', () => {
  const people = new People()
  const view = people.view(
    { ...STORE, people: [ann, { id: 'aaaa0000', name: 'The bot', isHost: false }].map(inStore) },
    [tile('cccc2222', 'A ghost')],
  )
  expect(view).toMatchObject({ people: [ann], sharing: [], source: 'store' })
})

test('who shares a screen is among those who are there', () => {
  const people = new People()
  const tracks = [screen('bbbb1111', false), screen('cccc2222', false)]
  expect(people.view({ ...STORE, people: [inStore(ann)], tracks }, []).sharing).toEqual(['bbbb1111'])
  expect(people.view({ ...STORE, people: [inStore(ann)], tracks: [screen('bbbb1111', true)] }, []).sharing).toEqual([])
})

test('where only tiles are known a screen is not a participant, and a tile that is scrolled away does not mean that one left', () => {
  const people = new People()
  const shown = [tile('bbbb1111', 'Ann'), tile('bbbb1111-v1', 'Ann'), tile('cccc2222', 'Bob')]
  const first = people.view(null, shown)
  expect(first.people.map(({ name }) => name)).toEqual(['Ann', 'Bob'])
  expect(first.sharing).toEqual(['bbbb1111'])
  const later = () => people.view(null, shown.slice(0, 1)).people.map(({ name }) => name)
  expect(later()).toEqual(['Ann', 'Bob'])
  for (let look = 0; look < 20; look++) later()
  expect(later()).toEqual(['Ann'])
  for (let look = 0; look < 20; look++) people.view(null, [])
  expect(people.view(null, [])).toMatchObject({ people: [], source: 'page' })
})

test('no participant is known before anything is shown', () => {
  expect(new People().view(null, []).source).toBeNull()
  expect(new People().view({ ...STORE, selfId: null }, []).source).toBeNull()
  expect(
    new People().view({ ...STORE, isJoined: false, people: [inStore(ann)] }, [tile('bbbb1111', 'Ann')]),
  ).toMatchObject({
    people: [],
    source: null,
  })
})
