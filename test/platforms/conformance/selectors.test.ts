/**
 * The source of a mock contains each name in the driver's selectors: each id, class and attribute value. The browser
 * tests
 * of each platform prove that pages show them.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageRoot } from '../../../core/process/page-scripts.ts'
import { SELECTORS as GOOGLE_MEET } from '../../../platforms/google-meet/words.ts'
import { SELECTORS as JITSI } from '../../../platforms/jitsi/words.ts'
import { SELECTORS as MICROSOFT_TEAMS } from '../../../platforms/microsoft-teams/words.ts'
import { SELECTORS as ZOOM } from '../../../platforms/zoom/words.ts'

type Selectors = Readonly<Record<string, string>>

const COMPOSED = 'the mock puts it together from parts'
const NOT_SHOWN = 'seen in the field, and no scenario of the mock shows it'

/** Selectors that the mock has no mark for, each with the reason. */
const UNSEEN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'google-meet': {},
  'microsoft-teams': {
    absentRow: COMPOSED,
    confirmLeave: NOT_SHOWN,
    microphoneOffMark: COMPOSED,
    monitor: NOT_SHOWN,
  },
  zoom: { activeTile: COMPOSED, chatOwnBox: COMPOSED, chatOwnText: COMPOSED },
  jitsi: {},
}
const ALL: [string, Selectors][] = [
  ['google-meet', GOOGLE_MEET],
  ['microsoft-teams', MICROSOFT_TEAMS],
  ['zoom', ZOOM],
  ['jitsi', JITSI],
]

/** The names in a selector. Tags, roles and other common words prove nothing. */
function namesIn(alternative: string): string[] {
  const values = [...alternative.matchAll(/\[([a-z-]+)[\^$*~|]?=\s*"([^"]*)"(?:\s+i)?\]/g)]
    .filter(([, attribute]) => !['role', 'type', 'contenteditable', 'aria-hidden'].includes(attribute!))
    .map(([, , value]) => value!)
  const rest = alternative.replace(/\[[^\]]*\]/g, '')
  const names = [...rest.matchAll(/[.#]([A-Za-z][\w-]*)/g)].map(([, name]) => name!)
  return [...values, ...names]
}

/** Commas inside brackets and parentheses divide nothing. */
function alternativesOf(selector: string): string[] {
  const parts: string[] = []
  let [depth, from] = [0, 0]
  for (const [index, letter] of [...selector].entries()) {
    if ('([{'.includes(letter)) depth += 1
    else if (')]}'.includes(letter)) depth -= 1
    else if (letter === ',' && depth === 0) {
      parts.push(selector.slice(from, index))
      from = index + 1
    }
  }
  return [...parts, selector.slice(from)].map((part) => part.trim())
}

describe.each(ALL)('%s', (platform, selectors) => {
  test('every selector names an element of the mock meeting', () => {
    const files = globSync([`mock/${platform}/**/*.ts`, 'mock/shared/**/*.ts'], { cwd: packageRoot })
    const source = files.map((file) => readFileSync(join(packageRoot, file), 'utf8')).join('\n')
    const missing = Object.entries(selectors)
      .filter(
        ([, selector]) => !alternativesOf(selector).some((one) => namesIn(one).every((name) => source.includes(name))),
      )
      .map(([name]) => name)
    expect(missing.sort()).toEqual(Object.keys(UNSEEN[platform]!).sort())
  })
})
