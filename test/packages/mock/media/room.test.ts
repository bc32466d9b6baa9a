import { afterEach, expect, it } from 'vitest'
import { type MediaPerson, MediaRoom } from '../../../../packages/mock/media/room.ts'

const ann: MediaPerson = { id: 'ann', name: 'Ann', audioCsrc: 7, camera: false, look: 0 }
let room: MediaRoom | undefined
afterEach(() => room?.close())

it('refuses people without a distinct id, look or source, and invalid options', () => {
  room = new MediaRoom()
  expect(() => room!.addPerson({ ...ann, look: 48 })).toThrow(/look of ann/)
  expect(() => room!.addPerson({ ...ann, audioCsrc: 2 ** 32 })).toThrow(/audioCsrc of ann/)
  expect(() => room!.addPerson({ ...ann, id: '' })).toThrow(/empty or taken/)
  expect(() => room!.startSpeaking('bob')).toThrow(/"bob"/)
  expect(() => new MediaRoom({ width: 641 })).toThrow(/even/)
  expect(() => new MediaRoom({ fps: 5 })).toThrow(/fps/)
  expect(() => new MediaRoom({ loss: 1 })).toThrow(/loss/)
  expect(() => new MediaRoom({ audioStreams: 0 })).toThrow(/audioStreams/)
})

it('refuses a text that is not an offer', async () => {
  room = new MediaRoom()
  const session = room.connect()
  await expect(session.answer('hello')).rejects.toThrow(/not a session description/)
  await expect(session.answer(`v=0${'x'.repeat(600_000)}`)).rejects.toThrow(/600003 characters/)
  expect(session.videoSlots()).toEqual([])
})
