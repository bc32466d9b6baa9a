import { expect, test } from 'vitest'
import { shorten, startsRightToLeft } from '../../../../../../platforms/shared/page/picture/frames/text.ts'

/** Every sign is ten wide. */
const widthOf = (text: string) => [...new Intl.Segmenter('en').segment(text)].length * 10

test.each([
  ['what fits stays', 'Ann Host', 80, 'Ann Host'],
  ['white space is one space', ' Ann\n\tHost ', 80, 'Ann Host'],
  ['what is too wide ends in an ellipsis and fills the room', 'Bartholomew', 60, 'Barth…'],
  ['no space is before the ellipsis', 'Ann Host', 50, 'Ann…'],
  ['a sign of several parts is never cut in two', '👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 30, '👩‍👩‍👧👩‍👩‍👧…'],
  ['where not even an ellipsis finds place there is nothing', 'Ann', 5, ''],
])('%s', (_what, text, width, shown) => {
  expect(shorten(text, width, widthOf)).toBe(shown)
})

test('a name of any length is cut before it is measured', () => {
  const lengths: number[] = []
  const text = shorten('x'.repeat(1_000_000), 10_000, (part) => {
    lengths.push(part.length)
    return widthOf(part)
  })
  expect(text).toBe(`${'x'.repeat(300)}…`)
  expect(Math.max(...lengths)).toBeLessThanOrEqual(301)
})

test.each([
  ['12 - דנה Cohen', true],
  ['(1) Dana דנה', false],
  ['مريم', true],
  ['🎉 42', false],
])('the first letter says in which direction a name is written: %s', (name, isRightToLeft) => {
  expect(startsRightToLeft(name)).toBe(isRightToLeft)
})
