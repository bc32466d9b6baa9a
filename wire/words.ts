/**
 * The words pack: by which wordings and selectors a bot reads the pages of every platform, as data (`words.json`). The
 * program ships one; an operator may point to a newer one, signed with a key of their choice (docs/words.md).
 */
import { z } from 'zod'
import { problemsOf } from './job.ts'
import { MEETING_PLATFORMS, type PlatformName } from './meeting-links/index.ts'
import { stepsOf } from './pattern-steps.ts'
import SHIPPED from './words.json' with { type: 'json' }

/** Of a pack with its signature, as JSON. */
export const MAX_PACK_BYTES = 512 * 1024
/** Steps of all expressions of a platform, each on one text of the longest length: about a second. */
const MAX_PLATFORM_STEPS = 600_000_000
const MAX_PATTERN_STEPS = 200_000_000

type Shipped = (typeof SHIPPED)['platforms']
export type EnglishWords<Platform extends PlatformName> = Shipped[Platform]['words']['en']
export type SelectorName<Platform extends PlatformName> = keyof Shipped[Platform]['selectors']
type Tables = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

export interface WordsPack {
  /** Such as `2026.11.27`; numbers with dots, compared number by number. */
  version: string
  /** The oldest version of the program that can use it. */
  needs: string
  created: string
  platforms: {
    [Platform in PlatformName]: {
      /** By language; English is complete. */
      words: { readonly en: EnglishWords<Platform> } & Readonly<Record<string, Tables>>
      selectors: Readonly<Record<SelectorName<Platform>, string>>
      /** Signs that a check of a page has to find before and after the bot is in; each is a list of alternatives. */
      expected: Readonly<Record<'entrance' | 'meeting', readonly (readonly string[])[]>>
      /** For maintainers, by name, such as `selectors.tile`. */
      notes?: Readonly<Record<string, string>>
    }
  }
}

export const SHIPPED_WORDS: WordsPack = SHIPPED

const name = z.string().regex(/^[A-Za-z][A-Za-z_]{0,39}$/)
const version = z.string().regex(/^\d{1,4}(?:\.\d{1,4}){1,3}$/, { error: 'must be numbers with dots' })

const pattern = z
  .string()
  .min(1)
  .max(300)
  .superRefine((source, { addIssue }) => {
    const steps = stepsOf(source)
    if (typeof steps === 'string') addIssue(`${steps}: ${source}`)
    else if (steps > MAX_PATTERN_STEPS) addIssue(`can take too many steps: ${source}`)
  })
const tables = z.record(name, z.record(name, z.array(pattern).min(1).max(40)))

const selector = z
  .string()
  .min(1)
  .max(1000)
  .refine(isBalanced, { error: 'must be a selector whose quotes and brackets are closed' })

const signs = z.array(z.array(z.string().max(100)).min(1).max(10)).max(50)

const platformSchema = z
  .strictObject({
    words: z.record(z.string().regex(/^[a-z]{2,8}$/), tables).refine((words) => Object.keys(words).length <= 40),
    selectors: z.record(name, selector),
    expected: z.strictObject({ entrance: signs, meeting: signs }),
    notes: z.record(z.string().max(100), z.string().max(1000)).optional(),
  })
  .superRefine(({ words }, { addIssue }) => {
    const all = Object.values(words).flatMap((language) => Object.values(language).flatMap(Object.values).flat())
    const steps = all.reduce((sum: number, source) => sum + (Number(stepsOf(source)) || 0), 0)
    if (all.length > 2000 || steps > MAX_PLATFORM_STEPS) addIssue('has too many words')
  })

/** Names that this program has no use for are ignored, so that one pack serves several versions. */
export const wordsSchema = z
  .strictObject({
    version,
    needs: version,
    created: z.iso.date(),
    platforms: z.strictObject({
      meet: platformSchema,
      teams: platformSchema,
      zoom: platformSchema,
      jitsi: platformSchema,
    }),
  })
  .superRefine(({ platforms }, { addIssue }) => {
    for (const platform of MEETING_PLATFORMS) {
      const has = namesIn(platforms[platform])
      const missing = namesIn(SHIPPED.platforms[platform]).filter((wanted) => !has.includes(wanted))
      if (missing.length > 0) addIssue(`${platform} has no ${missing.slice(0, 10).join(', ')}`)
      const { words, expected } = platforms[platform]
      const named = [
        ...Object.values(words).flatMap(wordNames),
        ...expected.entrance.flat(),
        ...expected.meeting.flat(),
      ]
      const unknown = named.filter((found) => !has.includes(found))
      if (unknown.length > 0)
        addIssue(`${platform} has no English words or selectors for ${unknown.slice(0, 10).join(', ')}`)
    }
  })
  .transform((pack) => pack as unknown as WordsPack)

const wordNames = (language: Tables = {}): string[] =>
  Object.entries(language).flatMap(([table, entries]) => Object.keys(entries).map((entry) => `${table}.${entry}`))

function namesIn({ words, selectors }: { words: Readonly<Record<string, Tables>>; selectors: object }): string[] {
  return [...wordNames(words.en), ...Object.keys(selectors).map((selector) => `selectors.${selector}`)]
}

/** A selector that closes what it opens cannot change the meaning of others that it is joined with. */
function isBalanced(text: string): boolean {
  const open: string[] = []
  let quote = ''
  for (const letter of text) {
    if (letter < ' ' || '{}<\\'.includes(letter)) return false
    if (quote !== '') quote = letter === quote ? '' : quote
    else if (letter === '"' || letter === "'") quote = letter
    else if (letter === '(' || letter === '[') open.push(letter === '(' ? ')' : ']')
    else if ((letter === ')' || letter === ']') && open.pop() !== letter) return false
  }
  return quote === '' && open.length === 0
}

/** Positive if the first version is the newer one. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => text.split('.').map(Number))
  const places = Array.from(
    { length: Math.max(a!.length, b!.length) },
    (_, place) => (a![place] ?? 0) - (b![place] ?? 0),
  )
  return places.find((difference) => difference !== 0) ?? 0
}

/** The pack in a document. Throws a sentence if it is not valid, needs a newer program, or is older than `inUse`. */
export function acceptWords(document: unknown, program: string, inUse: string): WordsPack {
  const { data: pack, error } = wordsSchema.safeParse(document)
  if (error) {
    const problems = problemsOf(error).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
    throw new Error(`It is no valid words pack: ${problems.slice(0, 5).join('; ')}`)
  }
  if (compareVersions(pack.needs, program) > 0)
    throw new Error(`Its version ${pack.version} needs Standin ${pack.needs}, and this is ${program}`)
  if (compareVersions(pack.version, inUse) < 0)
    throw new Error(`Its version ${pack.version} is older than ${inUse}, which is in use`)
  return pack
}
