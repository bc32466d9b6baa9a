import { expect, test } from 'vitest'
import type { Elements } from '../../../platforms/zoom/page/elements.ts'
import { readMarks } from '../../../platforms/zoom/page/marks.ts'
import type { Roster } from '../../../platforms/zoom/page/roster.ts'

const NAMES = ['Doe, Jane (Sales)', 'Ann', 'Roe, Max, PhD', 'Max']

test.each([
  ['Talking: Doe, Jane (Sales), Ann', ['0', '1']],
  ['Talking: Ann, Roe, Max, PhD', ['1', '2']],
  ['Talking: Max, Ann', ['3', '1']],
  ['Talking: Unknown, Ann', ['1']],
  ['Talking:', []],
])('%s', (textContent, ids) => {
  const all = () => [{ textContent }] as unknown as ReturnType<Elements['all']>
  const people = NAMES.map((name, id) => ({ id: `${id}`, name, isHost: false, userId: null }))
  const roster: Pick<Roster, 'named'> = { named: (name) => people.find((one) => one.name === name) ?? null }
  expect(readMarks({ all }, roster, [], []).map(({ id }) => id)).toEqual(ids)
})
