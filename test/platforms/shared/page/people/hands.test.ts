import { expect, test } from 'vitest'
import { Hands } from '../../../../../platforms/shared/page/people/hands.ts'
import type { PageEvent } from '../../../../../platforms/shared/page/types.ts'

const ann = { id: 'ann', name: 'Ann' }

function handsOf() {
  const reported: string[] = []
  const hands = new Hands((event: PageEvent) => {
    if (event.type === 'hand_raised') reported.push(`${event.name} ${event.isRaised ? 'up' : 'down'}`)
  })
  return { reported, hands }
}

test('a hand is up at once, and down when its mark has been away for some looks', () => {
  const { reported, hands } = handsOf()
  for (const hasMark of [true, false, true, true, false, false, false, false]) hands.update(ann, hasMark, 0)
  expect(reported).toEqual(['Ann up', 'Ann down'])
})

test('a notice raises a hand, and a page without marks never lowers it', () => {
  const { reported, hands } = handsOf()
  hands.set(ann, true, 0)
  for (let look = 0; look < 10; look++) hands.update(ann, false, look)
  expect(reported).toEqual(['Ann up'])
  hands.set(ann, true, 20)
  hands.set(ann, false, 21)
  expect(reported).toEqual(['Ann up', 'Ann down'])
})

test('who left and came back can raise a hand again', () => {
  const { reported, hands } = handsOf()
  hands.set(ann, true, 0)
  hands.forget('ann')
  hands.set(ann, true, 1)
  expect(reported).toEqual(['Ann up', 'Ann up'])
})
