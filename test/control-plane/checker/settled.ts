import type { Database } from '../../../control-plane/store/database.ts'

/** Work that has to finish before everything is over; empty at the end. */
export async function unsettled(database: Database): Promise<string[]> {
  const count = async (name: string, rows: Promise<unknown[]>) => {
    const { length } = await rows
    return length === 0 ? [] : [`${length} ${name}`]
  }
  const lists = await Promise.all([
    count('open bots', database.selectFrom('bots').select('id').where('phase', '<>', 'closed').execute()),
    count('launches', database.selectFrom('launches').select('bot_id').where('cleaned_at', 'is', null).execute()),
    count(
      'journals in an inbox',
      database.selectFrom('event_inbox').select('bot_id').whereRef('last_seq', '>', 'after_seq').execute(),
    ),
    count(
      'deliveries',
      database.selectFrom('deliveries').select('id').where('state', 'in', ['waiting', 'sending']).execute(),
    ),
  ])
  return lists.flat()
}
