import { expect, it } from 'vitest'
import { initialsOf, labelOf } from '../../../../../platforms/shared/page/picture/initials.ts'

it.each([
  ['Ann Host', 'AH'],
  ['Ann', 'A'],
  ['ann lower', 'AL'],
  ['Maximiliane von und zu Hohenstein', 'MH'],
  ['Ann (External)', 'A'],
  ['Ben Ortega [Guest]', 'BO'],
  ['(Guest)', 'G'],
  ['李小龙', '李'],
  ['Éva Ünal', 'ÉÜ'],
  ['ßen', 'ß'],
  ['ǆoni', 'Ǆ'],
  ['42 seven', '4S'],
  ['🦊 Fox', '🦊F'],
  ['👩‍👩‍👧‍👦', '👩‍👩‍👧‍👦'],
  ['🇫🇷 team', '🇫🇷T'],
  ['<b>Eve</b>', 'B'],
  ['"O’Neill"', 'O'],
  ['مريم العلي', 'م\u200cا'],
  ['first.last', 'FL'],
  ['', '?'],
  ['***', '?'],
  ['\u200b\u202e', '?'],
  ['\u202eEvil', 'E'],
])('initials of %j are %j', (name, initials) => {
  expect(initialsOf(name)).toBe(initials)
})

it('initials cut towers of combining marks, and do not take long for an endless name', () => {
  expect(initialsOf(`Z${'\u0337'.repeat(60)}o`)).toBe(`Z${'\u0337'.repeat(2)}`)
  expect(initialsOf('\u0301'.repeat(200_000))).toBe('?')
  expect(initialsOf('a'.repeat(1_000_000))).toBe('A')
})

it.each([
  ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
  ['', 'Unknown'],
  ['   ', 'Unknown'],
  ['\u200b', 'Unknown'],
  ['\u202e\u2066', 'Unknown'],
  ['\u0000', 'Unknown'],
])('the label of %j is %j', (name, label) => {
  expect(labelOf(name)).toBe(label)
})
