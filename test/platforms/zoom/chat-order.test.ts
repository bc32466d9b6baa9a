import { describe, expect, test } from 'vitest'
import { ChatOrder } from '../../../platforms/zoom/page/chat-order.ts'

/** So many looks at the same rows; what was found gone. */
function looks(order: ChatOrder, shown: string, times = 3): string[] {
  return Array.from({ length: times }, () => order.update([...shown])).flat()
}

describe('deleted rows', () => {
  test('are those between two neighbors, once they stay away', () => {
    const order = new ChatOrder()
    expect(looks(order, 'abcd')).toEqual([])
    expect(looks(order, 'abd', 2)).toEqual([])
    expect(looks(order, 'abd', 1)).toEqual(['c'])
    expect(looks(order, 'abd', 5)).toEqual([])
  })

  test('are not those that are only out of sight, before, behind or between two views', () => {
    const order = new ChatOrder()
    for (const view of ['abcde', 'cdefg', 'fghij', 'klmno', 'abcd', 'cdefg', 'nop']) {
      expect(looks(order, view, 5), view).toEqual([])
    }
  })

  test('are not those that a list lacks while it is drawn', () => {
    const order = new ChatOrder()
    looks(order, 'abcd')
    expect([...looks(order, 'abd', 2), ...looks(order, 'abcd', 1), ...looks(order, 'abd', 2)]).toEqual([])
  })

  test('are found after older rows were turned back to', () => {
    const order = new ChatOrder()
    looks(order, 'fgh')
    looks(order, 'defg')
    expect(looks(order, 'dfgh')).toEqual(['e'])
    expect(looks(order, 'dfhij')).toEqual(['g'])
  })
})
