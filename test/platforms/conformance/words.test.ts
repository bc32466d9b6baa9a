/** The wording that a driver relies on is data; every platform keeps it in the same form, and its mock shows it. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SHIPPED_WORDS } from '@standin/wire/words.ts'
import { describe, expect, test } from 'vitest'
import { packageRoot } from '../../../packages/core/process/page-scripts.ts'
import { matches, plain } from '../../../platforms/shared/words.ts'

const COMPOSED = 'the mock puts it together from parts'
const DECIDED_BY_ADDRESS = 'the mock leads to the address, which decides'
const NOT_SHOWN = 'seen in the field, and no scenario of the mock shows it'

/** Names of wording that occur in no text of the mock, each with the reason. */
const UNSEEN: Readonly<Record<Platform, Readonly<Record<string, string>>>> = {
  meet: {
    'labels.cameraProblem': COMPOSED,
    'labels.microphoneProblem': COMPOSED,
    'labels.shareChoice': NOT_SHOWN,
    'labels.withoutAccount': NOT_SHOWN,
    'labels.you': NOT_SHOWN,
    'states.credentials_lost': NOT_SHOWN,
    'states.landing': DECIDED_BY_ADDRESS,
    'states.marketing': DECIDED_BY_ADDRESS,
  },
  teams: {
    'labels.guest': COMPOSED,
    'states.unsupported_browser': NOT_SHOWN,
  },
  zoom: {
    'dialogs.breakouts_close': COMPOSED,
    'labels.me': COMPOSED,
    'labels.peopleCount': COMPOSED,
    'labels.peopleWaiting': COMPOSED,
  },
  jitsi: {
    'dialogs.local_name': NOT_SHOWN,
    'states.suspended': NOT_SHOWN,
  },
}

const FOLDERS = { meet: 'google-meet', teams: 'microsoft-teams', zoom: 'zoom', jitsi: 'jitsi' } as const
type Platform = keyof typeof FOLDERS

type Words = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
const languagesOf = (platform: Platform) => Object.entries<Words>({ ...SHIPPED_WORDS.platforms[platform].words })
const englishOf = (platform: Platform): Words => languagesOf(platform)[0]![1]

const expressionsOf = (words: Words) =>
  Object.entries(words).flatMap(([table, entries]) =>
    Object.entries(entries ?? {}).flatMap(([name, expressions]) =>
      (expressions ?? []).map((expression) => ({ name: `${table}.${name}`, expression })),
    ),
  )

/** Every text in the mock's source that it may put on its page. */
function textsOfMock(platform: Platform): string[] {
  return globSync(`packages/mock/${FOLDERS[platform]}/**/*.ts`, { cwd: packageRoot }).flatMap((file) => {
    const source = readFileSync(join(packageRoot, file), 'utf8')
    const literals = [...source.matchAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g)]
    return literals.map(([literal]) =>
      plain(
        literal
          .slice(1, -1)
          .replace(/\$\{[^}]*\}/g, '3')
          .replace(/\\(['"`])/g, '$1')
          .replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
      ),
    )
  })
}

describe.each(Object.keys(FOLDERS) as Platform[])('%s', (platform) => {
  test('keeps the languages of the project apart, English whole and first', () => {
    const names = languagesOf(platform).map(([language]) => language)
    expect(names[0]).toBe('en')
    expect(names).toEqual(expect.arrayContaining(['de', 'en', 'es', 'fr', 'ja', 'pt']))
  })

  test('other languages name only what English names', () => {
    const english = new Set(expressionsOf(englishOf(platform)).map(({ name }) => name))
    for (const [language, words] of languagesOf(platform)) {
      const unknown = expressionsOf(words).filter(({ name }) => !english.has(name))
      expect(unknown, language).toEqual([])
    }
  })

  test('every expression can be compiled in the page, and is written in the form in which texts are compared', () => {
    for (const [language, words] of languagesOf(platform)) {
      for (const { name, expression } of expressionsOf(words)) {
        expect(() => new RegExp(expression, 'iu'), `${language} ${name}`).not.toThrow()
        expect(expression, `${language} ${name}`).not.toMatch(/[’‘“”…\u00a0\u202f]/)
      }
    }
  })

  test('everything that has a word has one that the mock shows', () => {
    const texts = textsOfMock(platform)
    const shown = new Map<string, boolean>()
    for (const { name, expression } of expressionsOf(englishOf(platform))) {
      const compiled = new RegExp(expression, 'iu')
      shown.set(name, shown.get(name) || texts.some((text) => matches([compiled], text)))
    }
    const missing = [...shown].filter(([, isShown]) => !isShown).map(([name]) => name)
    expect(missing.sort()).toEqual(Object.keys(UNSEEN[platform]).sort())
  })
})
