import { expect, test } from 'vitest'
import { NameBox } from '../../../../platforms/shared/join/name-box.ts'

async function typed(name: string): Promise<string> {
  let value = ''
  const fill = async (_box: string, text: string) => {
    value = text
  }
  const box = new NameBox({ fill }, name)
  await box.holdsName('')
  expect(await box.holdsName(value)).toBe(true)
  return value
}

test('a long name is cut between whole characters', async () => {
  const family = '👨‍👩‍👧‍👦'
  expect(await typed('x'.repeat(58) + family)).toBe('x'.repeat(58))
  expect(await typed('x'.repeat(53) + family)).toBe('x'.repeat(53) + family)
  expect(await typed(`${'x'.repeat(59)}e\u0301`)).toBe('x'.repeat(59))
  expect(await typed('名'.repeat(61))).toBe('名'.repeat(60))
})

test.each([
  ['Notes  for Ann', 3, (text: string) => text.replace(/ +/g, ' ')],
  ['Notes 📝 for Ann', 3, (text: string) => text.replace(/\p{Extended_Pictographic}/gu, '')],
  ['Notes for Zoë', 3, (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase()],
  ['Notes for Ann', 3, (text: string) => `${text} (Guest)`],
  ['Notiz für Müller', 10, (text: string) => text.replace(/[^ -~]/g, '')],
  ['Notes for Ann', 10, (text: string) => text.slice(0, 8)],
])('%s in a box that changes it is accepted after %i tries', async (name, tries, change) => {
  const values = ['']
  const box = new NameBox({ fill: async (_box, text) => void values.push(change(text)) }, name)
  while (!(await box.holdsName(values.at(-1)!))) expect(values.length).toBeLessThanOrEqual(tries + 1)
  expect(values).toHaveLength(tries + 1)
})
