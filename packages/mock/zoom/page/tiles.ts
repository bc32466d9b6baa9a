/**
 * One person's tile in any place: picture or avatar, name, mute mark
 * (docs/platform-notes/zoom.md#tiles-and-active-speaker).
 */
import { box, h } from '../../shared/page/dom.ts'
import { hashOf } from '../../shared/page/random.ts'
import type { UiContext } from './context.ts'
import { shareNode } from './nodes.ts'
import { canvasPlayer, type Player, videoPlayer } from './players.ts'
import type { PagePerson } from './protocol.ts'
import { CLASS, ID } from './table.ts'

/** The place of a tile; each place has its own class. */
export type Place = 'active' | 'bar' | 'gallery' | 'multi' | 'single'

const FRAMES: Record<Place, string> = {
  active: CLASS.speakerActiveFrame,
  bar: CLASS.speakerBarFrame,
  gallery: CLASS.galleryFrame,
  multi: CLASS.multiSpeaker,
  single: CLASS.singleFrame,
}

export class Tile {
  readonly root: HTMLElement
  private readonly context: UiContext
  private readonly place: Place
  private readonly box: HTMLElement
  private readonly name: HTMLElement
  private readonly mark: HTMLElement
  private content: HTMLElement
  private readonly player: Player
  private readonly stopWatching: () => void
  private person: PagePerson

  constructor(context: UiContext, place: Place, person: PagePerson) {
    this.context = context
    this.place = place
    this.person = person
    this.player = videoPlayer(person.node, context.settings.playback === 'webrtc' ? 'video' : 'canvas')
    this.name = h('span')
    this.mark = h('i')
    this.content = avatarOf(person)
    this.box = box(CLASS.avatar, this.content, box(CLASS.avatarFooter, this.mark, this.name))
    this.root = box(FRAMES[place], this.box)
    this.stopWatching = person.isSelf
      ? context.devices.watch(() => this.showPicture())
      : context.pictures.watch(() => this.showPicture())
    this.update(person, false)
  }

  update(person: PagePerson, active: boolean): void {
    this.person = person
    const frame = FRAMES[this.place]
    const draggable = this.place === 'gallery' ? ` ${CLASS.galleryDraggable}` : ''
    const wanted = `${frame}${draggable}${active ? ` ${frame}--active` : ''}`
    if (this.root.className !== wanted) this.root.className = wanted
    if (this.name.textContent !== person.name) this.name.textContent = person.name
    const muted = person.audio === 'phone' ? CLASS.avatarMutedPhone : CLASS.avatarMuted
    this.mark.className = person.muted && person.audio !== 'none' ? muted : ''
    this.showPicture()
  }

  private showPicture(): void {
    const { devices, pictures } = this.context
    const { person } = this
    const track = person.isSelf
      ? devices.track('camera')
      : person.camera
        ? pictures.pictureOf(String(person.node))
        : null
    this.player.show(track)
    const wanted = track ? this.player.root : avatarOf(person)
    // An element that is taken out stops playing, so nothing is exchanged that is there already.
    if (wanted === this.content || (!track && wanted.outerHTML === this.content.outerHTML)) return
    this.content.replaceWith(wanted)
    this.content = wanted
  }

  close(): void {
    this.player.show(null)
    this.stopWatching()
    this.root.remove()
  }
}

/** The photo, or the name on a color of the person's own. */
function avatarOf(person: PagePerson): HTMLElement {
  const hue = hashOf(String(person.node)) % 360
  if (!person.photo) {
    const style = `background:hsl(${hue} 45% 32%)`
    return h('div', { class: CLASS.avatarName, style }, person.name)
  }
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9" fill="hsl(${hue} 50% 50%)"/></svg>`
  return h('img', {
    class: CLASS.avatarImage,
    alt: person.name,
    src: `data:image/svg+xml,${encodeURIComponent(picture)}`,
  })
}

/** A shared screen: one canvas, whichever way the rest is painted. It stays after the share, without its number. */
export class ShareTile {
  readonly root: HTMLElement
  /** Null after the share. */
  node: number | null
  private readonly player = canvasPlayer(CLASS.shareCanvas)
  private readonly stopWatching: () => void

  constructor({ pictures }: UiContext, person: PagePerson) {
    this.node = person.node
    const number = { id: ID.sharee, 'node-id': shareNode(person.node) }
    this.root = h('div', number, box(CLASS.shareViewport, this.player.root))
    const show = () => this.player.show(pictures.pictureOf(String(shareNode(person.node))))
    this.stopWatching = pictures.watch(show)
    show()
  }

  end(): void {
    this.node = null
    this.player.show(null)
    this.stopWatching()
    this.root.setAttribute('node-id', '')
  }
}
