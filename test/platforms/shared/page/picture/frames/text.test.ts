import { expect, test } from 'vitest'
import { shorten, startsRightToLeft } from '../../../../../../platforms/shared/page/picture/frames/text.ts'

/** Every sign is ten wide. */
const widthOf = (text: string) => [...new Intl.Segmenter('en').segment(text)].length * 10

test('what fits stays as it is, in one line', () => {
  expect(shorten('Ann Host', 80, widthOf)).toBe('Ann Host')
  expect(shorten(' Ann\n\tHost ', 80, widthOf)).toBe('Ann Host')
})

test('what is too wide ends in an ellipsis and fills the room', () => {
  expect(shorten('Bartholomew', 60, widthOf)).toBe('Barth…')
  expect(shorten('Ann Host', 50, widthOf)).toBe('Ann…')
})

test('a sign of several parts is never cut in two', () => {
  expect(shorten('👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 30, widthOf)).toBe('👩‍👩‍👧👩‍👩‍👧…')
})

test('where not even an ellipsis finds place there is nothing', () => {
  expect(shorten('Ann', 5, widthOf)).toBe('')
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

test('the first letter says in which direction a name is written', () => {
  expect(startsRightToLeft('12 - דנה Cohen')).toBe(true)
  expect(startsRightToLeft('(1) Dana דנה')).toBe(false)
  expect(startsRightToLeft('مريم')).toBe(true)
  expect(startsRightToLeft('🎉 42')).toBe(false)
})
