/** The grid of people. Only some people have a tile; a presentation is a second tile of its sharer. */

import { avatarOf, box, h, mutedVideo, setAttribute } from '../../shared/page/dom.ts'
import { button, type Context } from './context.ts'
import { TileSizes, voiceWave } from './heavy.ts'
import { icon } from './icons.ts'
import type { PagePerson } from './protocol.ts'

/** More people than this stay without a tile, as on the real page. */
const MAX_TILES = { usual: 9, heavy: 17 }

export class TileGrid {
  readonly root: HTMLElement
  private readonly context: Context
  private readonly tiles = new Map<string, Tile>()
  private readonly maxTiles: number
  private readonly sizes: TileSizes | null

  constructor(context: Context) {
    this.context = context
    this.maxTiles = context.settings.heavy ? MAX_TILES.heavy : MAX_TILES.usual
    this.sizes = context.settings.heavy ? new TileSizes(context.media) : null
    const label = context.settings.seed % 2 === 0 ? 'Meeting grid' : undefined
    this.root = h('main', { 'aria-label': label, class: context.cls('grid') })
  }

  show(people: PagePerson[]): void {
    const wanted = new Map<string, { person: PagePerson; isShare: boolean }>()
    for (const person of people) {
      if (person.shareDevice) wanted.set(person.shareDevice, { person, isShare: true })
    }
    for (const person of [...people].sort(byTilePriority)) {
      if (wanted.size < this.maxTiles) wanted.set(person.device, { person, isShare: false })
    }
    for (const [device, tile] of this.tiles) {
      if (wanted.has(device)) continue
      tile.close()
      this.sizes?.remove(tile.root)
      this.tiles.delete(device)
    }
    for (const [device, { person, isShare }] of wanted) {
      let tile = this.tiles.get(device)
      if (!tile) {
        tile = new Tile(this.context, device, person, isShare)
        this.tiles.set(device, tile)
        this.sizes?.add(tile.root, device)
        if (isShare) this.root.prepend(tile.root)
        else this.root.append(tile.root)
      }
      tile.update(person)
    }
    const columns = Math.ceil(Math.sqrt(this.tiles.size))
    this.root.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`
    this.root.style.gridTemplateRows = `repeat(${Math.ceil(this.tiles.size / columns)}, minmax(0, 1fr))`
  }

  setSpeaking(device: string, speaking: boolean): void {
    this.tiles.get(device)?.setSpeaking(speaking)
  }

  close(): void {
    for (const tile of this.tiles.values()) tile.close()
    this.tiles.clear()
    this.sizes?.close()
  }
}

/** The bot itself and people with a picture get tiles first. */
function byTilePriority(one: PagePerson, other: PagePerson): number {
  const rank = (person: PagePerson) => (person.isSelf ? 0 : person.camera ? 1 : 2)
  return rank(one) - rank(other)
}

class Tile {
  readonly root: HTMLElement
  private readonly context: Context
  private readonly device: string
  private readonly isShare: boolean
  private readonly picture: HTMLElement
  private readonly marks: HTMLElement[]
  private readonly name: HTMLElement
  private readonly nameCopy: HTMLElement
  private readonly hand: HTMLElement
  private readonly controls: HTMLElement
  private readonly stopWatching: () => void
  private person: PagePerson
  private flicker: ReturnType<typeof setTimeout> | undefined

  constructor(context: Context, device: string, person: PagePerson, isShare: boolean) {
    const { cls } = context
    this.context = context
    this.device = device
    this.isShare = isShare
    this.person = person
    this.picture = h('div', {
      jscontroller: 'dTVdqe',
      'data-layout': isShare ? 'contain' : 'roi-crop',
      class: cls('tileInner'),
    })
    this.marks = [0, 1].map((index) =>
      h('div', { jsname: 'QgSmzd', class: `${cls(`mark${index}`)} ${cls('markBase')} ${cls('silent')}` }),
    )
    this.name = h('span', { class: 'notranslate' })
    this.nameCopy = h('div', { 'aria-hidden': 'true', class: cls('nameCopy') })
    this.controls = box(cls('tileControls'))
    this.hand = box(cls('hand'))
    this.root = h(
      'div',
      {
        jsname: 'E2KThb',
        jscontroller: 'K3Z5Df',
        class: cls(isShare ? 'shareTile' : 'tile'),
        'data-participant-id': isShare ? person.device : device,
        'data-requested-participant-id': isShare ? person.device : device,
        'data-tile-media-id': device,
      },
      this.picture,
      ...this.marks,
      h(
        'div',
        { jscontroller: 'sMwcOc', class: cls('nameBar') },
        this.hand,
        h('div', { jsslot: true }, this.name),
        this.nameCopy,
      ),
      this.controls,
      context.settings.heavy && voiceWave(context),
    )
    const source = !person.isSelf ? context.media : isShare ? context.media.screen : context.devices
    this.stopWatching = source.watch(() => this.showPicture())
  }

  update(person: PagePerson): void {
    this.person = person
    const name = this.isShare ? `${person.name} (Presentation)` : person.name
    if (this.name.textContent !== name) {
      this.name.textContent = name
      this.nameCopy.textContent = name
      this.fillControls(name)
      if (person.isSelf && this.context.settings.selfNameAttribute) setAttribute(this.root, 'data-self-name', name)
    }
    const isHandUp = person.handRaised && !this.isShare
    if (isHandUp !== this.hand.hasChildNodes()) this.hand.replaceChildren(...(isHandUp ? [icon('front_hand')] : []))
    this.showPicture()
    this.setSpeaking(person.speaking && !this.isShare)
  }

  private fillControls(name: string): void {
    const { words } = this.context
    const controls = [
      button(this.context, { label: words('Pin {0} to your main screen', name), icon: 'keep' }),
      button(this.context, { label: words('More options for {0}', name), icon: 'more_vert' }),
    ]
    if (this.person.isSelf && !this.isShare) {
      controls.push(
        button(this.context, { label: words('Reframe'), icon: 'frame_person', attributes: { jsname: 'nsKqzb' } }),
        button(this.context, {
          label: words('Backgrounds and effects'),
          icon: 'visual_effects',
          attributes: { jsname: 'Ac69Jc' },
        }),
      )
    }
    this.controls.replaceChildren(...controls)
  }

  /** A video while there is a picture, the avatar otherwise. */
  private showPicture(): void {
    const { devices, media, cls } = this.context
    const own = () => (this.isShare ? media.screen.track : devices.track('camera'))
    const track = this.person.isSelf ? own() : media.pictureOf(this.device)
    const wanted = this.person.isSelf || this.isShare || this.person.camera ? track : null
    const shown = this.picture.firstElementChild
    if (wanted) {
      const current = shown instanceof HTMLVideoElement ? shown : null
      const stream = current?.srcObject as MediaStream | null | undefined
      if (stream?.getVideoTracks()[0] === wanted) return
      const video = mutedVideo({ class: cls('video'), autoplay: true })
      video.srcObject = new MediaStream([wanted])
      this.picture.replaceChildren(video)
    } else if (!(shown instanceof HTMLImageElement)) {
      this.picture.replaceChildren(
        h('img', {
          class: cls('avatar'),
          alt: '',
          src: avatarOf(this.device, [...this.person.name][0]?.toUpperCase() ?? ''),
        }),
      )
    }
  }

  /** Speech shows as several class changes per second. They stop in a hidden tab. */
  setSpeaking(speaking: boolean): void {
    if (speaking === (this.flicker !== undefined)) return
    const { cls, random, settings } = this.context
    if (settings.heavy) this.root.classList.toggle(cls('talking'), speaking)
    if (!speaking) {
      clearTimeout(this.flicker)
      this.flicker = undefined
      if (document.hidden) return
      this.marks.forEach((mark, index) => {
        mark.className = `${cls(`mark${index}`)} ${cls('markBase')} ${cls('silent')}`
      })
      return
    }
    const change = () => {
      if (!document.hidden) {
        this.marks.forEach((mark, index) => {
          mark.className = `${cls(`mark${index}`)} ${cls('markBase')} ${cls(`speaking${random.int(0, 3)}`)}`
        })
      }
      this.flicker = setTimeout(change, random.int(100, 300))
    }
    this.flicker = setTimeout(change, random.int(0, 100))
  }

  close(): void {
    clearTimeout(this.flicker)
    this.stopWatching()
    this.root.remove()
  }
}
