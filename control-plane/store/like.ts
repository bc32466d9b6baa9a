import { type RawBuilder, sql } from 'kysely'

/**
 * Whether the text of `column` contains `text`, in any case of letters, composed or not. Both cases are needed: `ß` is SS in the
 * upper one, and the lower one of Σ depends on its place in the word. The collation has the cases of all
 * scripts: that of a database may be `C`, which knows the letters of English alone.
 */
export function contains(column: RawBuilder<unknown>, text: string): RawBuilder<boolean> {
  return sql<boolean>`${folded(column)} like ${folded(sql`${containing(text)}::text`)}`
}

/** Whether the text of `column` is `text`, composed or not. */
export function isSame(column: RawBuilder<unknown>, text: string): RawBuilder<boolean> {
  return sql<boolean>`normalize(${column}) = ${text.normalize()}`
}

const folded = (text: RawBuilder<unknown>) => sql`normalize(upper(lower(${text} collate "und-x-icu")))`

/** A pattern of `like` for values that contain the text, in which the text has no special characters. */
function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
