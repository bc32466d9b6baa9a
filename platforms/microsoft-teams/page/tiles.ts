/** The page's tiles: their owners, and the pictures for the composite. */

import { isVisible, plain, textWithout } from '../../shared/page/dom/visible-text.ts'
import type { Wording } from '../../shared/page/dom/wording.ts'
import type { CompositeTile } from '../../shared/page/picture/composite.ts'
import { streamIn } from '../../shared/page/picture/tile-stream.ts'
import { signalNotes } from '../../shared/page/signals.ts'
import { isEncoded, isOwnName, nameOf } from './names.ts'
import type { People } from './people.ts'
import type { PageConfig } from './types.ts'

const signals = signalNotes<'teams'>()

export interface SeenTile {
  element: Element
  /** For a shared screen the name of the person who shares. Empty while the page does not know it. */
  name: string
  /** The platform's key of the person, if the tile has it. */
  mri: string | null
  isScreen: boolean
  isSelf: boolean
  /** It has the bot's own mark, not only its name. */
  isMarked: boolean
  /** The frame that marks a speaker. */
  outline: Element | null
  /** The label of the tile for a screen reader. */
  label: string
  hasHand: boolean
}

/** The exact name in the mark of a person's row. */
const ROW_NAME = /^(?:participantsInCall|attendeesInMeeting)-(.+)$/

/** An address is no person's name. */
function isAddress(text: string): boolean {
  return /^\S+@\S+\.\S+$/.test(text.trim())
}

/** Tiles without a size are not real (docs/platform-notes/microsoft-teams.md#tiles-and-names). */
export function readTiles({ selectors, botName }: PageConfig, wording: Wording): SeenTile[] {
  const select = (name: string) => selectors[name] ?? ':not(*)'
  return [...document.querySelectorAll(select('tile'))].flatMap((element) => {
    const { width, height } = element.getBoundingClientRect()
    if (width === 0 || height === 0) return []
    const holder = element.closest(select('tileHolder')) ?? element
    const label = plain(holder.getAttribute('aria-label') ?? '')
    const tag = holder.querySelector(select('tileName'))
    const isScreen = element.getAttribute('data-stream-type') === 'ScreenSharing'
    const tid = element.getAttribute('data-tid') ?? ''
    // Instead of a name, the mark may be an identifier, or the address of the person, whose name then begins the label.
    const marked = isAddress(tid) ? (label.split(',')[0] ?? '') : isEncoded(tid) ? '' : tid
    const tagged =
      textOf(tag, select('icon')) || marked || (label === '' && !isScreen ? onlyText(element, select, wording) : '')
    const shown = (isScreen ? (wording.read('sharedBy', tagged) ?? wording.read('sharedBy', label)) : null) ?? tagged
    const outline = holder.querySelector(select('outline'))
    const isMarked = wording.says('self', label) || holder.querySelector(select('ownTile')) !== null
    // Every tile of others has the frame, so a tile without it and with the bot's name is the bot's.
    const isSelf = isMarked || (!isScreen && outline === null && isOwnName(shown, botName, wording.says))
    const avatar = holder.querySelector(select('avatar'))
    return [
      {
        element,
        name: nameOf(shown, wording.says),
        mri: avatar?.getAttribute('data-person-mri') ?? null,
        isScreen,
        isSelf,
        isMarked,
        outline,
        label,
        hasHand: [...holder.querySelectorAll(select('raisedHand'))].some(isVisible),
      },
    ]
  })
}

/** Names in the rows of the people panel, as far as they are in the page; the bot's own is left out. */
export function readRows({ selectors, botName }: PageConfig, wording: Wording): string[] {
  const select = (name: string) => selectors[name] ?? ':not(*)'
  const names = [...document.querySelectorAll(select('personRow'))]
    .filter((row) => !row.matches(select('absentRow')) && row.closest(select('absentRow')) === null)
    // The mark and the row that contains it are one person.
    .filter((row) => row.parentElement?.closest(select('personRow')) === null)
    .map((row) => {
      const marked = [row, ...row.querySelectorAll('[data-tid]')]
        .map((part) => ROW_NAME.exec(part.getAttribute('data-tid') ?? '')?.[1] ?? '')
        .find((name) => name !== '' && !isAddress(name))
      // A label may have more before its first comma: the mark of an external contact, or half of a name.
      if (marked) return marked
      const titled = row.querySelector('span[title]')?.getAttribute('title')
      return titled || (row.getAttribute('aria-label') ?? '').split(',')[0] || ''
    })
  const own = names.findIndex((name) => isOwnName(name, botName, wording.says))
  return names.filter((_name, index) => index !== own).map((name) => nameOf(name, wording.says))
}

/** The one text of a tile that has no mark of its name, apart from initials and the word for a guest; empty if it has several. */
function onlyText(tile: Element, select: (name: string) => string, { says }: Wording): string {
  const leaves = [...tile.querySelectorAll('*')].filter(
    (part) => part.childElementCount === 0 && part.closest(`${select('icon')}, button`) === null,
  )
  const shown = leaves.some(isVisible) ? leaves.filter(isVisible) : leaves
  const isGuestMark = (text: string) => says('guest', text.replace(/^\((.*)\)$/, '$1'))
  const texts = new Set(
    shown.map((leaf) => plain(leaf.textContent ?? '')).filter((text) => /\p{L}/u.test(text) && !isGuestMark(text)),
  )
  const [first = '', second = ''] = [...texts].sort((one, other) => other.length - one.length)
  const isInitials = second.length <= 3 && second === second.toUpperCase()
  return texts.size === 1 || (texts.size === 2 && isInitials) ? first : ''
}

function textOf(element: Element | null, icons: string): string {
  return element ? textWithout(element, icons) : ''
}

/** The owner of a tile; null if the page does not show it for certain. */
export function ownerOf(tile: SeenTile, people: People): string | null {
  return signals.first('tile_owner', {
    avatar: tile.mri === null ? null : people.idOfMri(tile.mri),
    name: tile.name === '' ? null : people.idOfName(tile.name),
  })
}

/**
 * Tiles of the composite: all people in the order of joining, with a picture if there is one, and shared screens
 * apart.
 */
export function compositeTiles(
  tiles: readonly SeenTile[],
  people: People,
  speaking: ReadonlySet<string>,
): CompositeTile[] {
  const faces = tiles.filter(({ isScreen, isSelf }) => !isScreen && !isSelf)
  const used = new Set<SeenTile>()
  const shown = people.present().map(({ id, name }): CompositeTile => {
    // Two people of one name have two tiles of that name; either picture has the right name under it.
    const tile =
      faces.find((face) => !used.has(face) && ownerOf(face, people) === id) ??
      faces.find((face) => !used.has(face) && face.name === name)
    if (tile) used.add(tile)
    const stream = tile && people.sendsVideo(id) !== false ? streamIn(tile.element) : null
    return { id, name, stream, isScreen: false, isSpeaking: speaking.has(id) }
  })
  const screens = tiles
    .filter(({ isScreen, isSelf }) => isScreen && !isSelf)
    .flatMap((tile, index): CompositeTile[] => {
      const stream = streamIn(tile.element)
      const owner = ownerOf(tile, people)
      const id = `screen:${owner ?? (tile.name || index)}`
      return stream ? [{ id, name: tile.name, stream, isScreen: true, isSpeaking: false }] : []
    })
  return [...shown, ...screens]
}
