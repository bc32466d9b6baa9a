/**
 * Decides who is in the meeting and the owner of each picture and sound. Pure. The page's own state is believed where
 * it exists; tiles count only if it does not, and then a missing tile proves nothing at once.
 */
import type { CompositeTile } from '../../shared/page/picture/composite.ts'
import type { PageParticipant } from '../../shared/page/types.ts'
import type { StoreView } from './store.ts'

/** A tile of another participant, or of a screen that a participant shares. */
export interface SeenTile {
  id: string
  name: string
  stream: MediaStream | null
}

export interface RosterView {
  people: PageParticipant[]
  /** Participants who share a screen. */
  sharing: string[]
  selfIsKnown: boolean
  source: 'store' | 'page' | null
}

/** A shared screen is named after its owner's second video source (docs/platform-notes/jitsi.md#participants). */
const SCREEN_ID = /^(.+)-v\d+$/
/** Polls without a person's tile before the person counts as gone: tiles that are scrolled away leave the page. */
const ABSENCES = 12

/** Before the join the page's state says nothing about who is inside. */
const NOBODY_KNOWN: RosterView = { people: [], sharing: [], selfIsKnown: false, source: null }

export class People {
  /** Only where the page's own state cannot be read. */
  readonly #seen = new Map<string, { participant: PageParticipant; absences: number }>()
  #hasSeen = false

  view(store: StoreView | null, tiles: readonly SeenTile[]): RosterView {
    if (!store) return this.#fromTiles(tiles)
    return store.isJoined && store.selfId ? fromStore(store) : NOBODY_KNOWN
  }

  #fromTiles(tiles: readonly SeenTile[]): RosterView {
    const ids = new Set(tiles.map(({ id }) => id))
    this.#hasSeen ||= ids.size > 0
    for (const { id, name } of tiles) {
      if (SCREEN_ID.test(id)) continue
      this.#seen.set(id, { participant: { id, name: name || 'Unknown', isHost: false }, absences: 0 })
    }
    for (const [id, seen] of this.#seen) if (!ids.has(id) && ++seen.absences >= ABSENCES) this.#seen.delete(id)
    const people = [...this.#seen.values()].map(({ participant }) => participant)
    return {
      people,
      sharing: tiles.flatMap(({ id }) => SCREEN_ID.exec(id)?.[1] ?? []),
      // The own tile has no participant's id, so tiles with one belong to others.
      selfIsKnown: true,
      source: this.#hasSeen ? 'page' : null,
    }
  }
}

function fromStore({ people, tracks, selfId }: StoreView): RosterView {
  const others = people.filter(({ id }) => id !== selfId)
  const present = new Set(others.map(({ id }) => id))
  const sharing = tracks.filter(({ kind, isMuted, ownerId }) => kind === 'screen' && !isMuted && present.has(ownerId))
  return {
    people: others.map(({ id, name, isHost }) => ({ id, name, isHost })),
    sharing: [...new Set(sharing.map(({ ownerId }) => ownerId))],
    selfIsKnown: true,
    source: 'store',
  }
}

/**
 * Tiles of the composite: all people in the order of joining, with a picture if there is one, and shared screens
 * apart.
 */
export function compositeTiles(
  roster: RosterView,
  store: StoreView | null,
  tiles: readonly SeenTile[],
  speaking: ReadonlySet<string>,
): CompositeTile[] {
  const streamOf = (ownerId: string, kind: 'video' | 'screen'): MediaStream | null => {
    const known = store?.tracks.find((track) => track.ownerId === ownerId && track.kind === kind)
    if (known) return !known.isMuted && isLive(known.stream) ? known.stream : null
    const tile = tiles.find(({ id }) => (kind === 'video' ? id === ownerId : SCREEN_ID.exec(id)?.[1] === ownerId))
    return isLive(tile?.stream ?? null) ? tile!.stream : null
  }
  const people = roster.people.map(
    ({ id, name }): CompositeTile => ({
      id,
      name,
      stream: streamOf(id, 'video'),
      isScreen: false,
      isSpeaking: speaking.has(id),
    }),
  )
  const screens = roster.sharing.flatMap((ownerId): CompositeTile[] => {
    const stream = streamOf(ownerId, 'screen')
    const name = roster.people.find(({ id }) => id === ownerId)?.name ?? ''
    return stream ? [{ id: `${ownerId}/screen`, name, stream, isScreen: true, isSpeaking: false }] : []
  })
  return [...people, ...screens]
}

function isLive(stream: MediaStream | null): boolean {
  return stream?.getVideoTracks().some(({ readyState }) => readyState === 'live') ?? false
}
