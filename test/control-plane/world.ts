/** The service's database with the parts that a test asks for. They close with the test, or with the file, that opened them. */

import { randomUUID } from 'node:crypto'
import type { BotPatch, BotRow, NewBotRow, Tables } from '@standin/control-plane/store/rows/index.ts'
import type { Insertable, Selectable } from 'kysely'
import { createFolderStore } from '../../control-plane/files/folder-store.ts'
import { createLinkSigner } from '../../control-plane/files/signed-links.ts'
import { createSeals, newSealKey, parseSealKeys } from '../../control-plane/platform/secrets/seals.ts'
import { insertBot, readBot, writable } from '../../control-plane/store/bots/bots.ts'
import { createTeam, setTeam, type TeamChange } from '../../control-plane/store/teams/teams.ts'
import { createEndpoint, type NewEndpoint } from '../../control-plane/store/webhooks/endpoints.ts'
import { atEnd, temporaryFolder } from '../fakes/at-end.ts'
import { type GivenToApi, openApi } from './api/world.ts'
import { openCalendarParts } from './calendars/world.ts'
import { openConnectionParts } from './connections/world.ts'
import { openLinks } from './control-link/world.ts'
import { openLaunchingParts } from './launching/world.ts'
import { openDatabaseWithClock, openTestDatabase } from './postgres.ts'
import { openWebhooks } from './webhooks/world.ts'

export const quiet = { info() {}, warn() {}, error() {} }
export const MEET = 'https://meet.google.com/abc-defg-hij'
export const sealKeys = newSealKey('test')
export const seals = createSeals(parseSealKeys(sealKeys))

interface Parts {
  /** The API, with these dependencies in place of the usual ones. */
  api?: GivenToApi | ((base: Base) => GivenToApi)
  /** Servers of the control link, and bots that were launched. */
  links?: true
  /** Dispatchers and receivers of webhooks. */
  webhooks?: true
  /** Calendars on the providers' stand-ins. */
  calendars?: true
  /** Connections at the stand-in of Zoom. */
  connections?: true
  /** Rooms that launch simulated bots. */
  launching?: true
  /** The database has a clock that can be set (`checker/database-clock.ts`). */
  clock?: true
}

type Opened<P extends Parts> = Base &
  (P extends { api: object } ? Awaited<ReturnType<typeof openApi>> : unknown) &
  (P extends { links: true } ? Awaited<ReturnType<typeof openLinks>> : unknown) &
  (P extends { webhooks: true } ? ReturnType<typeof openWebhooks> : unknown) &
  (P extends { calendars: true } ? Awaited<ReturnType<typeof openCalendarParts>> : unknown) &
  (P extends { connections: true } ? ReturnType<typeof openConnectionParts> : unknown) &
  (P extends { launching: true } ? ReturnType<typeof openLaunchingParts> : unknown)

export type Base = Awaited<ReturnType<typeof openBase>>
export type World = Opened<object>
export type ApiWorld = Opened<{ api: object }>
export type WebhookWorld = Opened<{ webhooks: true }>
export type LaunchingWorld = Opened<{ launching: true }>

export async function openWorld<P extends Parts>(parts: P = {} as P): Promise<Opened<P>> {
  const base = await openBase(parts)
  const { api } = parts
  return Object.assign(
    base,
    api && (await openApi(base, typeof api === 'function' ? api(base) : api)),
    parts.links && (await openLinks(base)),
    parts.webhooks && openWebhooks(base),
    parts.calendars && (await openCalendarParts(base)),
    parts.connections && openConnectionParts(base),
    parts.launching && openLaunchingParts(base),
  ) as Opened<P>
}

type ColumnOf<T extends keyof Tables> = keyof Selectable<Tables[T]> & string
type Values<T extends keyof Tables> = Partial<Selectable<Tables[T]>>

async function openBase({ clock }: Parts) {
  const { database, url, close } = await (clock ? openDatabaseWithClock : openTestDatabase)(16)
  const closers: (() => unknown)[] = []
  async function rows<T extends keyof Tables, C extends ColumnOf<T>>(
    table: T,
    values: Values<T> = {},
    columns?: readonly C[],
  ) {
    const from = database.selectFrom(table as 'bots').where((row) => row.and(values as object))
    const found = columns ? from.select(columns as never) : from.selectAll()
    return (await found.execute()) as unknown as Pick<Selectable<Tables[T]>, C>[]
  }
  const base = {
    database,
    url,
    /** Before its end: what `closes` was given, the last one first. */
    async close() {
      for (const closer of closers.splice(0).reverse()) await closer()
      await close()
    },
    closes: (closer: () => unknown) => void closers.push(closer),
    async teamId(change: TeamChange = {}): Promise<string> {
      const id = await createTeam(database, 'A team')
      if (Object.keys(change).length > 0) await setTeam(database, id, change)
      return id
    },
    /** A bot that has ended well, unless `values` say otherwise. */
    async addBot(teamId: string, values: Partial<NewBotRow> = {}): Promise<string> {
      const { id } = await insertBot(database, {
        ...{ id: randomUUID(), team_id: teamId, generation: 'v2', phase: 'closed', status: 'completed' },
        ...{ bot_name: 'Bot', meeting_url: MEET, meeting_key: 'meet:abc-defg-hij', meeting_platform: 'meet' },
        ...{ recording_mode: 'speaker_view', request: {}, participants: [], speakers: [], transcription_ids: [] },
        ...values,
      })
      return id
    },
    row: async (botId: string): Promise<BotRow> => (await readBot(database, botId))!,
    set: (botId: string, values: object) =>
      database
        .updateTable('bots')
        .set(writable(values as BotPatch))
        .where('id', '=', botId)
        .execute(),
    setTeam: (teamId: string, values: object) =>
      database.updateTable('teams').set(values).where('id', '=', teamId).execute(),
    /** Rows that have these values, with all columns or some. */
    rows,
    /** The first of them; rejects without any. */
    async one<T extends keyof Tables, C extends ColumnOf<T>>(table: T, values?: Values<T>, columns?: readonly C[]) {
      const [first] = await rows(table, values, columns)
      if (first === undefined) throw new Error(`No row of ${table} has ${JSON.stringify(values)}`)
      return first
    },
    /** Changes the rows that have these values. */
    change: <T extends keyof Tables>(table: T, values: Values<T>, changed: object) =>
      database
        .updateTable(table as 'bots')
        .set(changed)
        .where((row) => row.and(values as object))
        .execute(),
    insert: <T extends keyof Tables>(table: T, ...rows: Insertable<Tables[T]>[]) =>
      database
        .insertInto(table)
        .values(rows as never)
        .execute(),
    endpoint: (endpoint: NewEndpoint) => createEndpoint(database, seals, endpoint),
    /** A folder with files of bots, behind signed links. */
    folder(publicUrl = 'https://api.test') {
      const root = temporaryFolder()
      const signer = createLinkSigner({ secret: Buffer.alloc(32, 1), publicUrl, now: Date.now })
      return { root, signer, files: createFolderStore(root, signer) }
    },
  }
  atEnd(base.close)
  return base
}
