/**
 * The words in use: the built-in ones, or those that the bot was given. A process runs one bot. All languages are matched together, since a page may be half translated.
 */
import type { PlatformName } from '@standin/wire/platforms.ts'
import { type EnglishWords, type PageWords, type SelectorName, SHIPPED_WORDS } from '@standin/wire/words.ts'

/** Text behind it is not compared. */
const MAX_COMPARED_LENGTH = 2000

/** Tables of expressions by name, such as `states`, `dialogs` and `labels`. */
export type Words = Readonly<Record<string, Readonly<Record<string, readonly RegExp[]>>>>

type Languages = PageWords['common']

interface WordsOf<Platform extends PlatformName> {
  WORDS: {
    readonly [Table in keyof EnglishWords<Platform>]: {
      readonly [Name in keyof EnglishWords<Platform>[Table]]: readonly RegExp[]
    }
  }
  /** Marks of the page that do not depend on its language. */
  SELECTORS: Readonly<Record<SelectorName<Platform>, string>>
}

const inUse = {
  meet: { WORDS: {}, SELECTORS: {} },
  teams: { WORDS: {}, SELECTORS: {} },
  zoom: { WORDS: {}, SELECTORS: {} },
  jitsi: { WORDS: {}, SELECTORS: {} },
} satisfies Record<PlatformName, object>

/**
 * What a dialog that asks for consent is about, and its buttons, on every platform. `happens`: what is named goes on;
 * `apart`: it does not, or is the page's own; `leaving`: whether to leave; `request`: a participant wants something of the
 * bot; `weak`: buttons of any question.
 */
export const CONSENT = {} as Record<
  ('topic' | 'happens' | 'apart' | 'leaving' | 'request') | ('join' | 'agree' | 'leave' | 'decline' | 'weak'),
  readonly RegExp[]
>

/** To be called before a driver is opened. The words of all platforms are replaced in place. */
export function useWords(pageWords: PageWords): void {
  const { consent } = SHIPPED_WORDS.common.en!
  Object.assign(CONSENT, mergeWords({ consent: consent! }, Object.values(pageWords.common)).consent)
  for (const platform of Object.keys(inUse) as PlatformName[]) {
    const { words, selectors } = pageWords.platforms[platform]
    const { en, ...others } = words
    const names = SHIPPED_WORDS.platforms[platform].words.en
    const common = Object.values(pageWords.common).map(asNamedByPlatforms)
    Object.assign(inUse[platform].WORDS, mergeWords(names, [en, ...Object.values(others), ...common]))
    Object.assign(inUse[platform].SELECTORS, selectors)
  }
}
useWords(SHIPPED_WORDS)

/** The words of a platform; the objects always show those in use. */
export function wordsOf<Platform extends PlatformName>(platform: Platform): WordsOf<Platform> {
  return inUse[platform] as unknown as WordsOf<Platform>
}

/** Sources of a platform's expressions by name, such as `labels.join`. */
export function namedWording(platform: PlatformName): Record<string, string> {
  const tables = Object.entries(inUse[platform].WORDS as Words)
  const named = tables.map(([table, names]) =>
    Object.entries(labelSources(names)).map(([name, source]) => [`${table}.${name}`, source]),
  )
  return Object.fromEntries(named.flat())
}

/** Sources of all expressions in use, of every platform. */
export function allWording(): string[] {
  const tables = Object.values(inUse).flatMap(({ WORDS }) => Object.values(WORDS as Words))
  return tables.flatMap((names) =>
    Object.values(names).flatMap((expressions) => expressions.map(({ source }) => source)),
  )
}

/** A platform has each of these under one of its names. */
function asNamedByPlatforms({ states = {}, dialogs = {} }: Languages[string]): Languages[string] {
  const { consent = [] } = dialogs
  const { waiting_for_host: waiting = [], ended_for_all: ended = [] } = states
  return { states: { ...states, ended }, dialogs: { ...dialogs, recording: consent, waiting_for_host: waiting } }
}

/** Every expression of every language, case-insensitive; English first, so that its order stays an order of preference. */
function mergeWords(names: Readonly<Record<string, object>>, languages: readonly Languages[string][]): Words {
  const merged = (table: string, name: string) =>
    languages.flatMap((words) => words[table]?.[name] ?? []).map((source) => new RegExp(source, 'iu'))
  return Object.fromEntries(
    Object.entries(names).map(([table, entries]) => [
      table,
      Object.fromEntries(Object.keys(entries).map((name) => [name, merged(table, name)])),
    ]),
  )
}

/** Normal form for comparisons: straight apostrophes, three dots, plain single spaces. */
export function plain(text: string): string {
  return text
    .replace(/[‘’ʼ＇]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/…/g, '...')
    .replace(/[\s\u00a0\u202f\u200b]+/g, ' ')
    .trim()
}

export function matches(expressions: readonly RegExp[], text: string): boolean {
  const compared = plain(text).slice(0, MAX_COMPARED_LENGTH)
  return expressions.some((expression) => expression.test(compared))
}

/** One source for each name, to be compiled in the page with the flags `iu`. */
export function labelSources<Name extends string>(
  labels: Readonly<Record<Name, readonly RegExp[]>>,
): Record<Name, string> {
  const sources = Object.entries<readonly RegExp[]>(labels).map(([name, expressions]) => [
    name,
    expressions.map(({ source }) => `(?:${source})`).join('|'),
  ])
  return Object.fromEntries(sources) as Record<Name, string>
}
