/** How many bots each launching process can start, as it reports. A row that is not renewed is not shown. */
import type { SpeechProblems } from '@standin/wire/speech-access.ts'
import { sql } from 'kysely'
import type { Database } from './database.ts'

const PREFIX = 'capacity:'
/** A process reports every thirty seconds, or sooner. */
const SHOWN_SECONDS = 60

export interface Capacity {
  launcher: string
  version: string
  /** Of the bots' containers; null if bots are processes of the program itself. */
  image: string | null
  /** Absent: the engine decides. */
  free?: number
  limit?: number
  /** Why none is free, if it is not the limit. */
  reason?: string
}

export async function writeCapacity(
  db: Database,
  id: string,
  capacity: Capacity & { speech: SpeechProblems },
): Promise<void> {
  await sql`
    with old as (
      delete from settings where name like ${`${PREFIX}%`} and name <> ${PREFIX + id}
        and (value ->> 'at')::timestamptz < now() - make_interval(secs => ${SHOWN_SECONDS})
    )
    insert into settings (name, value)
    values (${PREFIX + id}, ${JSON.stringify(capacity)}::jsonb || jsonb_build_object('at', now()))
    on conflict (name) do update set value = excluded.value`.execute(db)
}

export async function removeCapacity(db: Database, id: string): Promise<void> {
  await db
    .deleteFrom('settings')
    .where('name', '=', PREFIX + id)
    .execute()
}

/** Reads the capacity of all processes that launch bots now. */
export async function readCapacities(db: Database): Promise<Capacity[]> {
  return (await readReports(db)).map(({ capacity }) => capacity)
}

/** `speech` is null for a launcher of an older version. */
async function readReports(db: Database): Promise<{ capacity: Capacity; speech: SpeechProblems | null }[]> {
  const { rows } = await sql<{ capacity: Capacity; speech: SpeechProblems | null }>`
    select value - 'at' - 'speech' as capacity, value -> 'speech' as speech from settings where name like ${`${PREFIX}%`}
      and (value ->> 'at')::timestamptz >= now() - make_interval(secs => ${SHOWN_SECONDS})
    order by value ->> 'launcher', name`.execute(db)
  return rows
}

/** The problems that providers of transcripts have for every launcher now; null if no launcher says it. */
export async function readSpeechProblems(db: Database): Promise<SpeechProblems | null> {
  const reports = await readReports(db)
  const said = reports.flatMap(({ speech }) => speech ?? [])
  if (said.length === 0 || said.length < reports.length) return null
  type Provider = Exclude<keyof SpeechProblems, 'languages'>
  const shared = (provider: Provider, key: 'withoutKey' | 'withKey') => {
    const problems = said.map((speech) => speech[provider]?.[key] ?? null)
    return problems.includes(null) ? null : problems[0]!
  }
  const of = (provider: Provider) => ({
    withoutKey: shared(provider, 'withoutKey'),
    withKey: shared(provider, 'withKey'),
  })
  const providers = {
    Default: of('Default'),
    local: of('local'),
    deepgram: of('deepgram'),
    assemblyai: of('assemblyai'),
  }
  // A bot may be started by any of them.
  const lists = said.map(({ languages }) => languages ?? null)
  const known = lists.filter((list) => list !== null)
  const languages = known.length === 0 ? null : known.reduce((all, list) => all.filter((one) => list.includes(one)))
  return { ...providers, languages }
}
