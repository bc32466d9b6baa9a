/** Cursors of lists: base64 of `<ISO time>::<id>`; backwards with a leading `-`. */
import type { PageRequest, Place, Places } from '../../store/pages.ts'
import { refusals } from '../http/errors.ts'

const PLACE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z)::(.+)$/
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const MAX_LENGTH = 400

/** Rejects with 400 if the cursor is none of ours. `ids`: what the ids of the list look like. */
export function pageRequest(cursor: string | undefined, limit: number, ids = UUID): PageRequest {
  if (cursor === undefined || cursor === '') return { limit, from: null }
  const place = placeOf(cursor)
  if (place === null || !ids.test(place.place.id))
    throw refusals.validation('querystring/cursor is not a cursor of this list')
  return { limit, from: place }
}

export function cursorsOf({ next, previous }: Places): { cursor: string | null; prev_cursor: string | null } {
  return { cursor: next && encode(next), prev_cursor: previous && `-${encode(previous)}` }
}

function encode({ at, id }: Place): string {
  return Buffer.from(`${at}::${id}`).toString('base64')
}

function placeOf(cursor: string): PageRequest['from'] {
  if (cursor.length > MAX_LENGTH) return null
  const isBackwards = cursor.startsWith('-')
  const text = decode(isBackwards ? cursor.slice(1) : cursor)
  // The sign may have been encoded together with what follows it.
  if (!isBackwards && text.startsWith('-')) return placeOf(text)
  const [, at, id] = PLACE.exec(text) ?? []
  if (at === undefined || id === undefined || !isInstant(at)) return null
  return { place: { at, id }, direction: isBackwards ? 'before' : 'after' }
}

/** A day of the calendar that PostgreSQL knows too: it has no year 0, and `Date` reads February 30 as March 2. */
function isInstant(text: string): boolean {
  const time = Date.parse(text)
  if (Number.isNaN(time) || text.startsWith('0000')) return false
  return new Date(time).toISOString().slice(0, 19) === text.slice(0, 19)
}

function decode(text: string): string {
  return Buffer.from(text.replaceAll(' ', '+'), 'base64').toString('utf8')
}

/** Reads a page of a list whose items are counted: its cursor is the index of the first item in base64. */
export function indexPage(cursor: string | undefined, limit: number, total: number) {
  const start = cursor === undefined || cursor === '' ? 0 : indexOf(cursor, limit)
  if (start === null) throw refusals.validation('querystring/cursor is not a cursor of this list')
  const from = Math.min(start, total)
  const to = Math.min(from + limit, total)
  const encodeIndex = (index: number) => Buffer.from(String(index)).toString('base64')
  return {
    from,
    to,
    cursor: to < total ? encodeIndex(to) : null,
    prev_cursor: from > 0 ? `-${encodeIndex(from)}` : null,
  }
}

function indexOf(cursor: string, limit: number): number | null {
  if (cursor.length > MAX_LENGTH) return null
  const isBackwards = cursor.startsWith('-')
  const text = decode(isBackwards ? cursor.slice(1) : cursor)
  if (!isBackwards && text.startsWith('-')) return indexOf(text, limit)
  if (!/^\d{1,9}$/.test(text)) return null
  return isBackwards ? Math.max(0, Number(text) - limit) : Number(text)
}
