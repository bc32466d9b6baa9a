/** The page's tiles: their people, the page's active marks, and the pictures for the composite. */

import { isVisible, plain, textWithout } from '../../shared/page/dom/visible-text.ts'
import type { CompositeTile } from '../../shared/page/picture/composite.ts'
import type { Elements } from './elements.ts'
import type { Pictures } from './pictures.ts'

export interface SeenTile {
  name: string
  /** The participant behind the video player; null while it has none. */
  userId: number | null
  isMuted: boolean
  /** The page's own mark. It lingers after speech, so it is no proof. */
  isActive: boolean
  hasPicture: boolean
  element: Element
}

/** A person for the composite: the roster says who, the tile shows what. */
export interface Shown {
  id: string
  name: string
  tile: SeenTile | null
}

/**
 * Streams of one participant differ in the low ten bits: camera, shared screen, sound
 * (docs/platform-notes/zoom.md#sdk-events).
 */
export function userOfNode(node: number): number {
  return Math.floor(node / 1024) * 1024
}

export function readTiles(elements: Elements): SeenTile[] {
  const { all, first, drawn, selector } = elements
  const players = all('player')
  const tiles = all('tile').filter(isVisible)
  const isMarked = (element: Element) => element.matches(selector('activeTile'))
  // The large picture shows the last speaker. It has its own mark only beside another picture's
  // (docs/platform-notes/zoom.md#tiles-and-active-speaker).
  const isLargeActive = !tiles.some(isMarked)
  return tiles.map((element): SeenTile => {
    const player = first('player', element) ?? playerOver(element, players)
    return {
      name: nameIn(element, elements),
      userId: player && userOf(player),
      isMuted: first('tileMuted', element) !== null,
      isActive: isMarked(element) || (isLargeActive && element.matches(selector('speakerTile'))),
      // Without a camera the name or the person's avatar is shown in the middle.
      hasPicture: player !== null && !drawn('tileName', element) && !drawn('tilePicture', element),
      element: player ?? element,
    }
  })
}

/** The participant whose stream a video player shows; null while it shows none. */
export function userOf(player: Element): number | null {
  const node = Number(player.getAttribute('node-id') ?? Number.NaN)
  return Number.isSafeInteger(node) && node > 0 ? userOfNode(node) : null
}

function nameIn(element: Element, { first, selector }: Elements): string {
  const icons = selector('icon')
  for (const holder of [first('tileFooterName', element), first('tileName', element)]) {
    const text = holder ? textWithout(holder, icons) : ''
    if (text !== '') return plain(text)
  }
  return plain(first('tilePicture', element)?.getAttribute('alt') ?? '')
}

/** Some builds place all players side by side and the tiles over them. */
function playerOver(tile: Element, players: readonly Element[]): Element | null {
  const { left, right, top, bottom } = tile.getBoundingClientRect()
  return (
    players.find((player) => {
      if (player.closest('video-player-container') === null) return false
      const box = player.getBoundingClientRect()
      const x = box.left + box.width / 2
      const y = box.top + box.height / 2
      return box.width > 0 && x > left && x < right && y > top && y < bottom
    }) ?? null
  )
}

/** Tiles of the composite: all people in the order of joining, and the shared screen apart. */
export function compositeTiles(
  people: readonly Shown[],
  screen: { element: Element; sharerId: string | null; name: string } | null,
  pictures: Pictures,
  speaking: ReadonlySet<string>,
): CompositeTile[] {
  const shown = people.map(({ id, name, tile }): CompositeTile => {
    const stream = tile?.hasPicture ? pictures.streamIn(tile.element) : null
    return { id, name, stream, isScreen: false, isSpeaking: speaking.has(id) }
  })
  if (!screen) return shown
  const stream = pictures.streamIn(screen.element)
  const id = `screen/${screen.sharerId ?? ''}`
  return stream ? [...shown, { id, name: screen.name, stream, isScreen: true, isSpeaking: false }] : shown
}
