/** The page's tiles: their owners, and the pictures for the composite. */

import type { WebRtcTap } from '../../shared/page/audio/webrtc-tap.ts'
import { labelOf, plain, textWithout } from '../../shared/page/dom/visible-text.ts'
import type { CompositeTile } from '../../shared/page/picture/composite.ts'
import { streamIn } from '../../shared/page/picture/tile-stream.ts'
import { signalNotes } from '../../shared/page/signals.ts'
import type { Roster, SeenPerson } from './roster.ts'
import type { PageConfig } from './types.ts'

export interface SeenTile extends SeenPerson {
  mediaId: string
  isScreen: boolean
  element: Element
  hasHand: boolean
}

const signals = signalNotes<'meet'>()

/** The icon on the tile of a person whose hand is up; icons are text here. */
const HAND = /^(?:front|back)_hand$/

type Says = (label: string, text: string) => boolean

/** Badges and the suffix of a presentation are not part of a name. */
function nameIn(element: Element, selectors: PageConfig['selectors']): string {
  const holder = element.querySelector(selectors.tileName ?? ':not(*)')
  const text = holder ? textWithout(holder, selectors.icon ?? 'i') : (element.getAttribute('data-self-name') ?? '')
  return plain(text)
}

export function readTiles(selectors: PageConfig['selectors'], says: Says): SeenTile[] {
  const own = selectors.ownTileMark ?? ':not(*)'
  return [...document.querySelectorAll(selectors.tile ?? ':not(*)')].flatMap((element) => {
    const id = element.getAttribute('data-participant-id')
    const mediaId = element.getAttribute('data-tile-media-id')
    if (!id || !mediaId) return []
    const shown = nameIn(element, selectors)
    const isScreen = mediaId !== id || says('presentation', shown)
    const name = isScreen ? shown.replace(/\s*\([^()]*\)$/, '') : shown
    const hasOwnName =
      element.hasAttribute('data-self-name') || element.querySelector(selectors.ownNameAttribute ?? ':not(*)') !== null
    const isSelf =
      !isScreen &&
      [
        signals.note('own_tile.button', element.querySelector(own) !== null),
        signals.note('own_tile.attribute', hasOwnName),
      ].includes(true)
    const hasHand = [...element.querySelectorAll(selectors.icon ?? 'i')].some((icon) =>
      HAND.test(icon.textContent ?? ''),
    )
    signals.note('raised_hand.tile', hasHand)
    return [{ id, mediaId, name, isSelf, isScreen, element, hasHand }]
  })
}

/** Rows of the people panel, as far as they are in the page. People who wait to be let in are in a separate list. */
export function readRows(selectors: PageConfig['selectors'], says: Says): SeenPerson[] {
  return [...document.querySelectorAll(selectors.personRow ?? ':not(*)')].flatMap((row) => {
    const id = row.getAttribute('data-participant-id')
    const list = row.closest('[role="list"]')
    if (!id || (list && says('waitingList', labelOf(list, selectors.icon ?? 'i')))) return []
    const isSelf = [...row.querySelectorAll('span, div')].some(
      (part) => part.childElementCount === 0 && says('youMark', part.textContent ?? ''),
    )
    signals.note('own_tile.row', isSelf)
    return [{ id, name: plain(row.getAttribute('aria-label') ?? ''), isSelf }]
  })
}

/**
 * Tiles of the composite: all people in the order of joining, with a picture if there is one, and shared screens
 * apart.
 */
export function compositeTiles(
  tiles: readonly SeenTile[],
  roster: Roster,
  tap: WebRtcTap,
  speaking: ReadonlySet<string>,
): CompositeTile[] {
  const byMedia = new Map(tiles.map((tile) => [tile.mediaId, tile]))
  const people = roster.present().map(({ id, name }): CompositeTile => {
    const tile = byMedia.get(id)
    const isOff = roster.videoOf(id)?.isDisabled === true
    const stream = isOff ? null : tile ? streamIn(tile.element) : receivedStream(id, roster, tap)
    return { id, name, stream, isScreen: false, isSpeaking: speaking.has(id) }
  })
  const sharedIds = new Set([
    ...[...roster.shares()].filter(([, parent]) => !roster.isSelf(parent)).map(([id]) => id),
    ...tiles.filter(({ isScreen, id }) => isScreen && !roster.isSelf(id)).map(({ mediaId }) => mediaId),
  ])
  const screens = [...sharedIds].flatMap((id): CompositeTile[] => {
    const tile = byMedia.get(id)
    const stream = tile ? streamIn(tile.element) : receivedStream(id, roster, tap)
    const parent = roster.shares().get(id) ?? tile?.id ?? ''
    const name = roster.nameOf(parent) ?? tile?.name ?? ''
    return stream ? [{ id, name, stream, isScreen: true, isSpeaking: false }] : []
  })
  return [...people, ...screens]
}

/** A picture that no tile shows now: the received stream's id is the one that the roster names. */
function receivedStream(id: string, roster: Roster, tap: WebRtcTap): MediaStream | null {
  const output = roster.videoOf(id)
  if (!output || output.isDisabled) return null
  const tapped = tap.tracks('video').find(({ streams }) => streams.some((stream) => stream.id === output.streamId))
  return tapped && !tapped.track.muted ? (tapped.streams.find(({ id: own }) => own === output.streamId) ?? null) : null
}
