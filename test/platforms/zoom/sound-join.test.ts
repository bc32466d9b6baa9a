import { expect, test } from 'vitest'
import { ZOOM_PACES } from '../../../platforms/zoom/paces.ts'
import { SoundJoin } from '../../../platforms/zoom/sound-join.ts'

test.each([
  ['joins by itself', ['apart 2', 'joined 60'], 0],
  ['is without effect', ['apart 600'], 6],
  ['says neither', ['unreadable 600'], 1],
  ['is lost again and again', Array.from({ length: 20 }, () => ['apart 4', 'joined 9']).flat(), 20],
])('a button that %s', async (_what, story, presses) => {
  let pressed = 0
  const page = { wakePointer: async () => {}, press: async () => ++pressed > 0 }
  const sound = new SoundJoin(page, ZOOM_PACES)
  let at = 0
  for (const part of story) {
    const [audio, seconds] = part.split(' ') as ['apart' | 'joined' | 'unreadable', string]
    for (const end = at + Number(seconds) * 1000; at < end; at += 1000) await sound.update({ audio, hears: false, at })
  }
  expect(pressed).toBe(presses)
})
