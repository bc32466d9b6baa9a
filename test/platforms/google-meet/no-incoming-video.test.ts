import { expect, test } from 'vitest'
import { receiveNoVideo } from '../../../platforms/google-meet/page/no-incoming-video.ts'

function afterwards(stored: string | null): unknown {
  let kept = stored
  receiveNoVideo({
    getItem: () => kept,
    setItem: (key, value) => {
      expect(key).toBe('meet-preferences')
      kept = value
    },
  })
  return JSON.parse(JSON.parse(kept!))
}

const NEW = [null, null, null, null, null, null, null, null, [null, null, null, null, null, 1]]

test('nothing stored: a message that says this alone', () => {
  expect(afterwards(null)).toEqual(NEW)
})

test('other stored preferences stay', () => {
  const known = ['a', null, 3, null, null, null, null, null, [7, null, null, null, null, 4, 'last'], ['more']]
  const wanted = ['a', null, 3, null, null, null, null, null, [7, null, null, null, null, 1, 'last'], ['more']]
  expect(afterwards(JSON.stringify(JSON.stringify(known)))).toEqual(wanted)
})

test.each(['', 'null', '{', '"{"', '"{}"', '17', JSON.stringify('[1,2')])(
  'an unreadable message is replaced by a new one: %s',
  (stored) => {
    expect(afterwards(stored)).toEqual(NEW)
  },
)
