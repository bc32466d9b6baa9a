/** Statements that every connection prepares once: planning them each time costs more than running them. */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'

const MARK = '/* prepared */'
/** Templates often begin with a line break. */
const isMarked = (text: string) => text.trimStart().startsWith(MARK)
const NAME_LENGTH = 24

/**
 * The first part of a statement that runs often and always with the same text; its variable values are parameters. Its
 * result must not be `select *`: PostgreSQL refuses a prepared statement whose columns a migration has changed.
 */
export const PREPARED = sql.raw(MARK)

const names = new Map<string, string>()

/** A connection that prepares marked statements under a name made of their text. */
export class PreparingClient extends pg.Client {
  override query(...parts: unknown[]): never {
    const [text, values] = parts
    const query = super.query as (...parts: unknown[]) => never
    return typeof text === 'string' ? query.call(this, statementOf(text, values)) : query.apply(this, parts)
  }
}

/** For the driver, with a name if it has to be prepared. */
export function statementOf(text: string, values: unknown, isPrepared = isMarked(text)): object {
  return { text, values, ...(isPrepared && { name: nameOf(text) }) }
}

const MIN_USES = 10
/** A connection keeps a plan of each. */
const MAX_TEXTS = 150

/** Whether a statement of one pool has to be prepared: it is marked, or was sent often there and names its columns. */
export function frequentStatements(): (text: string) => boolean {
  /** How often statements without a mark were sent, by text; the one that was sent last is at the end. */
  const uses = new Map<string, number>()
  return (text) => {
    if (isMarked(text)) return true
    if (text.includes('*') || !text.includes('$1')) return false
    const count = (uses.get(text) ?? 0) + 1
    if (!uses.delete(text) && uses.size >= MAX_TEXTS) {
      // Connections have no plan of a rare one yet.
      const rare = [...uses].find(([, times]) => times <= MIN_USES)
      if (rare === undefined) return false
      uses.delete(rare[0])
    }
    uses.set(text, count)
    return count > MIN_USES
  }
}

function nameOf(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('hex').slice(0, NAME_LENGTH)
    names.set(text, name)
  }
  return name
}
