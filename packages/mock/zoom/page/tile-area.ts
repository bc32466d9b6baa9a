/**
 * The middle of the meeting: who has a tile where, in each view, and which tiles carry the mark of the active speaker
 * (docs/platform-notes/zoom.md#tiles-and-active-speaker). The mark outlives the speech, so it is no proof of it.
 */
import { box, h } from '../../shared/page/dom.ts'
import type { UiContext } from './context.ts'
import type { MeetingView, PagePerson } from './protocol.ts'
import { CLASS, ID, TEXT } from './table.ts'
import { type Place, ShareTile, Tile } from './tiles.ts'

/** The large picture follows a new speaker after this long. */
const FOLLOW_SECONDS = 1
const TALKING_SECONDS = 3
/** On one page of the gallery. */
const GALLERY_TILES = 25

interface Standing {
  place: Place
  person: PagePerson
}

export class TileArea {
  readonly root: HTMLElement
  view: MeetingView
  private readonly context: UiContext
  private readonly container = document.createElement('video-player-container')
  private readonly talking = h('span', { class: CLASS.talking })
  private readonly tiles = new Map<string, Tile>()
  private readonly holders: Record<Place, HTMLElement>
  private readonly pager: HTMLElement
  private share: ShareTile | null = null
  private people: PagePerson[] = []
  private readonly speaking = new Set<number>()
  /** Those with the mark. */
  private readonly active = new Set<number>()
  private lastSpeaker: number | null = null
  private large: number | null = null
  private page = 0
  private readonly timers = new Set<ReturnType<typeof setTimeout>>()

  constructor(context: UiContext) {
    this.context = context
    const { settings } = context
    this.view = settings.view
    this.holders = {
      active: box(CLASS.speakerActiveWrap),
      bar: box(CLASS.speakerBarWrap),
      gallery: box(CLASS.gallery),
      multi: box('multi-speaker-main-container'),
      single: box('single-main-container'),
    }
    this.pager = box(CLASS.galleryPages)
    const layout = h('div', { id: ID.shareLayout, class: CLASS.shareLayout }, this.container)
    this.root = h('div', { id: ID.pictures }, layout, this.talking)
  }

  show(people: PagePerson[]): void {
    this.people = people
    for (const { node, speaking } of people) {
      if (speaking) this.speaking.add(node)
      else this.speaking.delete(node)
    }
    const here = new Set(people.map(({ node }) => node))
    for (const node of this.active) if (!here.has(node)) this.active.delete(node)
    if (this.large !== null && !here.has(this.large)) this.large = null
    this.render()
  }

  setSpeaking(node: number, speaking: boolean): void {
    const { settings } = this.context
    if (speaking) this.speaking.add(node)
    else this.speaking.delete(node)
    if (speaking) {
      for (const other of this.active) if (!this.speaking.has(other)) this.active.delete(other)
      this.active.add(node)
      this.lastSpeaker = node
      this.after(FOLLOW_SECONDS * settings.secondMs, () => {
        if (this.lastSpeaker === node && this.speaking.has(node)) this.large = node
        this.render()
      })
      this.showTalking(node)
    } else if (settings.activeLingerMs !== null) {
      this.after(settings.activeLingerMs, () => {
        if (!this.speaking.has(node)) this.active.delete(node)
        this.render()
      })
    }
    this.render()
  }

  setView(view: MeetingView): void {
    this.view = view
    this.page = 0
    this.render()
  }

  /** Renders all changes. Tiles that stay are left alone. */
  render(): void {
    const sharer = this.people.find(({ sharing }) => sharing)
    if (this.share && this.share.node !== (sharer?.node ?? null)) this.share.end()
    if (sharer && this.share?.node !== sharer.node) this.share = new ShareTile(this.context, sharer)
    const standings = sharer ? this.besideShare() : this.withoutShare()
    const wanted = new Set(standings.map(({ place, person }) => `${place}:${person.node}`))
    for (const [key, tile] of this.tiles) {
      if (wanted.has(key)) continue
      tile.close()
      this.tiles.delete(key)
    }
    for (const { place, person } of standings) this.place(place, person, standings)
    const used = [...new Set(standings.map(({ place }) => place))].map((place) => this.holders[place])
    const shown = [...used, ...(this.share ? [this.share.root] : []), ...this.pageButtons()]
    for (const child of [...this.container.children]) if (!shown.includes(child as HTMLElement)) child.remove()
    shown.forEach((child, index) => {
      if (this.container.children[index] !== child) this.container.insertBefore(child, this.container.children[index]!)
    })
    this.container.classList.toggle('beside-share', sharer !== undefined)
    this.holders.gallery.style.setProperty('--columns', String(columnsFor(standings.length)))
  }

  private place(place: Place, person: PagePerson, standings: Standing[]): void {
    const key = `${place}:${person.node}`
    const tile = this.tiles.get(key) ?? new Tile(this.context, place, person)
    if (!this.tiles.has(key)) this.tiles.set(key, tile)
    tile.update(person, this.isMarked(place, person, standings))
    if (tile.root.parentElement !== this.holders[place]) this.holders[place].append(tile.root)
  }

  /** A gallery below three tiles has no mark; the large picture has one only beside another speaker. */
  private isMarked(place: Place, { node }: PagePerson, standings: Standing[]): boolean {
    if (!this.active.has(node)) return false
    if (place === 'gallery') return standings.length > 2
    if (place === 'active') return this.active.size > 1
    return place !== 'single'
  }

  private withoutShare(): Standing[] {
    const others = this.people.filter(({ isSelf }) => !isSelf)
    const self = this.people.filter(({ isSelf }) => isSelf)
    if (others.length === 0) return self.map((person) => ({ place: 'single', person }))
    if (this.view === 'gallery') return this.galleryPage().map((person) => ({ place: 'gallery', person }))
    const large = others.find(({ node }) => node === this.large) ?? others[0]!
    const rest = [...others.filter((person) => person !== large), ...self]
    const place: Place = this.view === 'multi-speaker' ? 'multi' : 'active'
    return [{ place, person: large }, ...rest.map((person): Standing => ({ place: 'bar', person }))]
  }

  private besideShare(): Standing[] {
    return this.people.map((person) => ({ place: this.view === 'gallery' ? 'gallery' : 'bar', person }))
  }

  private get isShared(): boolean {
    return typeof this.share?.node === 'number'
  }

  /** The speaker is always on the current page. */
  private galleryPage(): PagePerson[] {
    const all = this.people
    this.page = Math.min(this.page, Math.max(0, Math.ceil(all.length / GALLERY_TILES) - 1))
    const page = all.slice(this.page * GALLERY_TILES, (this.page + 1) * GALLERY_TILES)
    const speaker = all.find(({ node }) => node === this.lastSpeaker && this.speaking.has(node))
    if (speaker && !page.includes(speaker)) page[page.length - 1] = speaker
    return page
  }

  private pageButtons(): HTMLElement[] {
    const pages = Math.ceil(this.people.length / GALLERY_TILES)
    if (this.isShared || this.view !== 'gallery' || pages < 2) return []
    const turn = (by: number) => () => {
      this.page += by
      this.render()
    }
    const label = `${this.page + 1}/${pages}`
    if (this.pager.textContent !== label) {
      const back = h('button', { type: 'button', class: `${CLASS.gallerySwitch} ${CLASS.gallerySwitchBack}` })
      const next = h('button', { type: 'button', class: CLASS.gallerySwitch })
      back.disabled = this.page === 0
      next.disabled = this.page === pages - 1
      back.addEventListener('click', turn(-1))
      next.addEventListener('click', turn(1))
      this.pager.replaceChildren(back, label, next)
    }
    return [this.pager]
  }

  /** Named only if the speaker has no tile, and never while a screen is shared or one speaker fills the view. */
  private showTalking(node: number): void {
    const { settings, words } = this.context
    const person = this.people.find((candidate) => candidate.node === node)
    if (!person || this.isShared || this.view !== 'gallery' || this.galleryPage().includes(person)) return
    this.talking.textContent = words(TEXT.talking, person.name)
    this.after(TALKING_SECONDS * settings.secondMs, () => {
      this.talking.textContent = ''
    })
  }

  private after(ms: number, action: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer)
      action()
    }, ms)
    this.timers.add(timer)
  }

  close(): void {
    for (const timer of this.timers) clearTimeout(timer)
    for (const tile of this.tiles.values()) tile.close()
    this.tiles.clear()
    this.share?.end()
  }
}

function columnsFor(tiles: number): number {
  return Math.max(1, Math.ceil(Math.sqrt(tiles)))
}
