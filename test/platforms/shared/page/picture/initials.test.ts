import { describe, expect, it } from 'vitest'
import { initialsOf, labelOf } from '../../../../../platforms/shared/page/picture/initials.ts'

describe('initials', () => {
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
  ])('of %j are %j', (name, initials) => {
    expect(initialsOf(name)).toBe(initials)
  })

  it('cut towers of combining marks', () => {
    expect(initialsOf(`Z${'\u0337'.repeat(60)}o`)).toBe(`Z${'\u0337'.repeat(2)}`)
  })

  it('do not take long for an endless name', () => {
    expect(initialsOf('\u0301'.repeat(200_000))).toBe('?')
    expect(initialsOf('a'.repeat(1_000_000))).toBe('A')
  })
})

describe('a label', () => {
  it('is the name as it is', () => {
    expect(labelOf('<img src=x onerror=alert(1)>')).toBe('<img src=x onerror=alert(1)>')
  })

  it.each(['', '   ', '\u200b', '\u202e\u2066', '\u0000'])(
    'is Unknown for %j, of which nothing can be seen',
    (name) => {
      expect(labelOf(name)).toBe('Unknown')
    },
  )
})
