import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageRoot } from '../../../core/process/page-scripts.ts'
import { SCENARIOS as ALL } from '../../../mock/zoom/index.ts'
import { isRight, Nodes, NUMBER, randomNumber, randomPasscode } from '../../../mock/zoom/numbers.ts'
import { DIALOGS } from '../../../mock/zoom/page/dialog-kinds.ts'
import { CLASS, ID, LABEL, TEXT } from '../../../mock/zoom/page/table.ts'
import { DEFAULTS, pageSettings } from '../../../mock/zoom/settings.ts'
import { SHOWABLE } from '../../../mock/zoom/showable.ts'
import { OVER } from '../../../mock/zoom/visit-types.ts'

/** Scenarios of the web client. Those of the SDK have separate tests. */
const SCENARIOS = Object.fromEntries(Object.entries(ALL).filter(([name]) => !name.startsWith('sdk-')))

describe('scenarios', () => {
  test('there are the common scenarios of all platforms, and more than forty others', () => {
    expect(Object.keys(SCENARIOS)).toEqual(
      expect.arrayContaining(['waiting-room', 'open', 'invalid-link', 'login-wall', 'chat-disabled']),
    )
    expect(Object.keys(SCENARIOS).filter((name) => name.startsWith('wc-')).length).toBeGreaterThan(40)
  })

  test('timelines name people of the scenario and names that can be shown', () => {
    for (const [name, { timeline = [], people }] of Object.entries(SCENARIOS)) {
      const ids = people?.map(({ id }) => id) ?? ['ann', 'bob']
      for (const { do: what, with: [first = ''] = [] } of timeline) {
        if (what === 'addPerson') ids.push(first)
        if (/Speaking|Sharing|^say$|Person$|setCamera/.test(what)) expect(ids, `${name}: ${what}`).toContain(first)
        if (what === 'show') expect(Object.keys(SHOWABLE), name).toContain(first)
      }
    }
  })

  test('notices are dialogs that there are', () => {
    for (const { settings } of Object.values(SCENARIOS)) {
      for (const notice of settings?.notices ?? []) expect(Object.keys(DIALOGS)).toContain(notice)
    }
  })

  test('have a description in one sentence', () => {
    for (const [name, { about }] of Object.entries(SCENARIOS)) expect(about, name).toMatch(/[."]$/)
  })
})

describe('one load of the page', () => {
  const load = { seed: 4, speed: 2, lang: 'en', isFramed: false }

  test('looks the same for the same seed, and what the scenario fixes stays', () => {
    expect(pageSettings(DEFAULTS, load)).toEqual(pageSettings(DEFAULTS, load))
    const looks = Array.from({ length: 40 }, (_, seed) => pageSettings(DEFAULTS, { ...load, seed }))
    for (const trait of [
      'view',
      'unifiedList',
      'chatWrapper',
      'chatVirtuoso',
      'stackedPanels',
      'chatTip',
      'chatReceiver',
    ] as const) {
      expect(new Set(looks.map((look) => look[trait])).size, trait).toBe(2)
    }
    const fixed = { ...DEFAULTS, page: { lang: 'de', activeLingerMs: null, footerHideMs: 500 } }
    expect(pageSettings(fixed, load)).toMatchObject({
      lang: 'de',
      activeLingerMs: null,
      footerHideMs: 250,
      secondMs: 500,
    })
  })
})

describe('numbers', () => {
  test('meetings have eleven digits, people multiples of 1024 that never repeat', () => {
    for (let count = 0; count < 50; count++) expect(randomNumber()).toMatch(NUMBER)
    const nodes = new Nodes()
    const given = Array.from({ length: 50 }, () => nodes.next())
    expect(new Set(given).size).toBe(50)
    for (const node of given) expect(node % 1024).toBe(0)
  })

  test("a passcode is right as people type it, as the link has it, and without the link's ending", () => {
    const passcode = randomPasscode()
    for (const given of [passcode.human, passcode.inLink, passcode.inLink.slice(0, -2)]) {
      expect(isRight(given, passcode)).toBe(true)
    }
    expect(isRight('', passcode)).toBe(false)
  })
})

describe('the table of names and words', () => {
  const sources = globSync('mock/zoom/**/*.ts', { cwd: packageRoot })
    .filter((file) => !file.endsWith('table.ts'))
    .map((file) => readFileSync(join(packageRoot, file), 'utf8'))
    .join('\n')
  const used = (table: string, key: string) => new RegExp(`\\b${table}\\.${key}\\b|c\\('${key}'\\)|i\\('${key}'\\)`)

  test.each([
    ['CLASS', CLASS],
    ['ID', ID],
    ['LABEL', LABEL],
    ['TEXT', TEXT],
  ] as const)('holds nothing in %s that no page shows', (name, table) => {
    const idle = Object.keys(table).filter((key) => !used(name, key).test(sources))
    expect(idle).toEqual([])
  })

  test('keeps the typing errors of the real client', () => {
    expect(CLASS.disclaimer).toBe('commmon-disclaimer-dialog')
    expect(LABEL.participantsOpen).toContain('particpants')
    expect(LABEL.more.endsWith(' ')).toBe(true)
  })

  test('no state is both an end and something else', () => {
    expect(new Set(OVER).size).toBe(OVER.length)
  })
})

test('the page script names no scenario, so that no driver can detect it in the source', () => {
  const words = globSync('mock/zoom/page/*.ts', { cwd: packageRoot })
    .map((file) => readFileSync(join(packageRoot, file), 'utf8'))
    .join('\n')
  for (const name of Object.keys(SCENARIOS).filter((candidate) => candidate.includes('-'))) {
    expect(words).not.toContain(`'${name}'`)
  }
})
