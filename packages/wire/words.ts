/**
 * The wordings and selectors by which a bot reads the pages of every platform, as data (`words.json`). An operator may have
 * a changed copy of the file (docs/platforms.md#words-and-selectors).
 */
import { z } from 'zod'
import { problemsOf } from './job.ts'
import { MEETING_PLATFORMS, type PlatformName } from './platforms.ts'
import SHIPPED from './words.json' with { type: 'json' }

type Shipped = (typeof SHIPPED)['platforms']
export type EnglishWords<Platform extends PlatformName> = Shipped[Platform]['words']['en']
export type SelectorName<Platform extends PlatformName> = keyof Shipped[Platform]['selectors']
type Tables = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>

export interface PageWords {
  /** Such as `2026.11.27`; reports of bots name it. */
  version: string
  /** By language: what the pages of all platforms may say alike. */
  common: Readonly<Record<string, Tables>>
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

export const SHIPPED_WORDS: PageWords = SHIPPED

const name = z.string().regex(/^[A-Za-z][A-Za-z_]{0,39}$/)
const version = z.string().regex(/^\d{1,4}(?:\.\d{1,4}){1,3}$/, { error: 'must be numbers with dots' })

const pattern = z
  .string()
  .min(1)
  .refine(isExpression, {
    error: ({ input }) => `is no regular expression: ${input}`,
  })
const tables = z.record(name, z.record(name, z.array(pattern).min(1)))

const selector = z
  .string()
  .min(1)
  .refine(isBalanced, { error: 'must be a selector whose quotes and brackets are closed' })

const signs = z.array(z.array(z.string()).min(1))

const languages = z.record(z.string().regex(/^[a-z]{2,8}$/), tables)

const platformSchema = z.strictObject({
  words: languages,
  selectors: z.record(name, selector),
  expected: z.strictObject({ entrance: signs, meeting: signs }),
  notes: z.record(z.string(), z.string()).optional(),
})

/** Names that this program has no use for are ignored, so that one file serves several versions. */
const wordsSchema = z
  .strictObject({
    version,
    /** Files of earlier versions have none. */
    common: languages.default(SHIPPED.common),
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
  .transform((pageWords) => pageWords as unknown as PageWords)

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

function isExpression(source: string): boolean {
  try {
    return Boolean(new RegExp(source, 'iu'))
  } catch {
    return false
  }
}

/** Throws a sentence that names the first mistakes. */
export function wordsFrom(document: unknown): PageWords {
  const { data: words, error } = wordsSchema.safeParse(document)
  if (words !== undefined) return words
  const problems = problemsOf(error).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  throw new Error(`These are no valid words: ${problems.slice(0, 5).join('; ')}`)
}
