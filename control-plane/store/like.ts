import { type RawBuilder, sql } from 'kysely'

/**
 * Whether the text of `column` contains `text`, in any case of letters. The collation has the cases of all scripts: that of
 * a database may be `C`, which knows the letters of English alone.
 */
export function contains(column: RawBuilder<unknown>, text: string): RawBuilder<boolean> {
  return sql<boolean>`${column} collate "und-x-icu" ilike ${containing(text)}`
}

/** A pattern of `like` for values that contain the text, in which the text has no special characters. */
function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
