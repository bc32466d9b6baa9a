/**
 * Wording as data. A platform keeps it in `words/<language>.ts`: complete in English, in which the driver asks for its
 * pages, and in other languages as far as it was observed. All languages are matched together, since a page may be half
 * translated.
 */

/** Tables of expressions by name, such as `states`, `dialogs` and `labels`. */
export type Words = Readonly<Record<string, Readonly<Record<string, readonly RegExp[]>>>>

/** Another language: any part of the complete wording. */
export type PartialWords<Whole extends Words> = { [Table in keyof Whole]?: Partial<Whole[Table]> }

/** Every expression of every language, case-insensitive; English first, so that its order stays an order of preference. */
export function mergeWords<Whole extends Words>(english: Whole, others: readonly PartialWords<Whole>[]): Whole {
  const tables = Object.entries(english).map(([table, entries]) => {
    const merged = Object.entries(entries).map(([name, expressions]) => {
      const more = others.flatMap((words) => words[table]?.[name] ?? [])
      return [name, [...expressions, ...more].map(({ source }) => new RegExp(source, 'iu'))]
    })
    return [table, Object.fromEntries(merged)]
  })
  return Object.fromEntries(tables) as Whole
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
  const compared = plain(text)
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
