/** Reads lists for callers, so that no team's reading slows down another team, or what writes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type InTurn, inTurn } from '@standin/wire/time/in-turn.ts'
import type { Database } from '../../store/database.ts'
import { refusals } from './errors.ts'

/** Of one team at once in this process: a third of the pool's connections. */
const MAX_READS = 2
/** Further requests of one team that wait, without a connection. */
const MAX_WAITING = 20
/** A refusal takes as long as it asks the caller to wait: one who asks again at once fills this process with refusals. */
const REFUSAL_MS = 1_000

/** Calls `read` for a list of the team. Rejects with 429 if too many of its lists are read, with 503 if this one takes too long. */
export type ReadList = <Args extends unknown[], T>(
  teamId: string,
  read: (database: Database, ...args: Args) => Promise<T>,
  ...args: Args
) => Promise<T>

/** `database`: a separate pool with a short limit for statements. */
export function createReadList(database: Database): ReadList {
  const teams = new Map<string, { inTurn: InTurn; reads: number }>()
  return async (teamId, read, ...args) => {
    const team = teams.get(teamId) ?? { inTurn: inTurn(MAX_READS), reads: 0 }
    if (team.reads >= MAX_READS + MAX_WAITING) {
      await sleep(REFUSAL_MS)
      throw refusals.tooManyLists(MAX_READS)
    }
    teams.set(teamId, team)
    team.reads += 1
    try {
      return await team.inTurn(() => read(database, ...args))
    } catch (error) {
      throw tookTooLong(error) ? refusals.slowList() : error
    } finally {
      team.reads -= 1
      if (team.reads === 0) teams.delete(teamId)
    }
  }
}

/** PostgreSQL canceled the statement, or no connection became free. */
function tookTooLong(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  return code === '57014' || code === '55P03' || /^timeout exceeded when trying to connect/.test(String(message))
}
