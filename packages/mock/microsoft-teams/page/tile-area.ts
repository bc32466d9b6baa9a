/** The tiles of the call: some people, shared screens first, and a placeholder when no other participant is there. */
import { box, h } from '../../shared/page/dom.ts'
import { type Context, part } from './context.ts'
import type { PagePerson } from './protocol.ts'
import { type Pictures, type StreamType, sourceOf, Tile } from './tiles.ts'

/** More people than this stay without a tile. */
const MAX_TILES = 9

export class TileArea {
  readonly root: HTMLElement
  private readonly context: Context
  private readonly pictures: Pictures
  private readonly tiles = new Map<string, Tile>()
  private readonly list: HTMLElement
  private readonly alone: HTMLElement
  private people: PagePerson[] = []

  constructor(context: Context, pictures: Pictures) {
    const { cls } = context
    this.context = context
    this.pictures = pictures
    this.list = part('only-videos-wrapper', { role: 'menu', class: cls('tiles') }, phantomTile(context))
    this.alone = box(cls('alone'))
    this.root = part(
      'modern-stage-wrapper',
      { class: cls('stage') },
      part(
        'stage-layouts-renderer',
        { class: cls('fill') },
        part('stage-layout', { 'data-test-segment-type': 'central', class: cls('fill') }, this.list),
      ),
      this.alone,
    )
  }

  show(people: PagePerson[]): void {
    this.people = people
    const others = people.filter(({ isSelf }) => !isSelf)
    const { words, random } = this.context
    if (others.length > 0) this.alone.replaceChildren()
    else if (this.alone.childElementCount === 0) {
      const text = random.chance(0.5) ? "You're the only one here" : 'Waiting for others to join'
      this.alone.replaceChildren(h('span', words(text)))
    }
    const wanted = new Map<string, { person: PagePerson; type: StreamType }>()
    for (const person of people) {
      if (person.sharing) wanted.set(sourceOf(person.mri, 'ScreenSharing'), { person, type: 'ScreenSharing' })
    }
    for (const person of [...people].sort(byTilePriority)) {
      if (wanted.size < MAX_TILES) wanted.set(sourceOf(person.mri, 'Video'), { person, type: 'Video' })
    }
    for (const [key, tile] of this.tiles) {
      if (wanted.has(key)) continue
      tile.close()
      this.tiles.delete(key)
    }
    for (const [key, { person, type }] of wanted) {
      const known = this.tiles.get(key)
      if (known) known.update(person)
      else {
        const tile = new Tile(this.context, this.pictures, person, type)
        this.tiles.set(key, tile)
        if (type === 'ScreenSharing') this.list.prepend(tile.root)
        else this.list.append(tile.root)
      }
    }
    const columns = Math.max(1, Math.ceil(Math.sqrt(this.tiles.size)))
    this.list.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`
    this.list.style.gridAutoRows = `minmax(0, 1fr)`
  }

  setSpeaking(mri: string, isSpeaking: boolean): void {
    this.people = this.people.map((person) => (person.mri === mri ? { ...person, speaking: isSpeaking } : person))
    this.tiles.get(sourceOf(mri, 'Video'))?.setSpeaking(isSpeaking)
  }

  /** Another layout: all tiles are new elements, in another order. */
  rebuild(): void {
    for (const tile of this.tiles.values()) tile.close()
    this.tiles.clear()
    this.show(this.people)
  }

  close(): void {
    for (const tile of this.tiles.values()) tile.close()
    this.tiles.clear()
  }
}

/** A tile without size, person or name. */
function phantomTile({ cls }: Context): HTMLElement {
  return h(
    'div',
    { role: 'menuitem', 'data-acc-element-id': 'acc-phantom', class: cls('phantom') },
    part(
      'video-item-container-',
      {},
      h('div', { 'data-stream-type': 'Video', 'data-tid': '', 'data-cid': 'calling-participant-stream' }),
    ),
  )
}

/** The page itself and people with a picture get tiles first. */
function byTilePriority(one: PagePerson, other: PagePerson): number {
  const rank = (person: PagePerson) => (person.isSelf ? 0 : person.camera ? 1 : 2)
  return rank(one) - rank(other)
}
