/**
 * The filmstrip: a tile for each participant and each shared screen, and the large picture of the most important one.
 */

import { showTrack } from '../../shared/page/devices.ts'
import { box, h, mutedVideo } from '../../shared/page/dom.ts'
import { hashOf, randomOf } from '../../shared/page/random.ts'
import type { Context } from './context.ts'
import type { PagePerson } from './protocol.ts'

export class Filmstrip {
  readonly root: HTMLElement
  readonly largePicture: HTMLElement
  private readonly context: Context
  private readonly remote = h('div', { id: 'filmstripRemoteVideosContainer', class: 'remote-videos' })
  private readonly tiles = new Map<string, Tile>()
  private readonly large = h('video', { id: 'largeVideo', autoplay: true, playsinline: true })
  private readonly stops: (() => void)[]

  constructor(context: Context) {
    this.context = context
    const { devices, media, words } = context
    this.large.muted = true
    const own = mutedVideo({ id: 'localVideo_container', class: 'flipVideoX', autoplay: true })
    const local = h(
      'span',
      { id: 'localVideoContainer', class: 'videocontainer' },
      own,
      box('displayNameContainer', h('span', { id: 'localDisplayName', class: 'displayname' }, context.state.botName)),
    )
    this.root = box(
      'filmstrip',
      h(
        'div',
        { id: 'remoteVideos', class: 'filmstrip__videos' },
        h('div', { id: 'filmstripLocalVideo' }, local),
        this.remote,
      ),
    )
    const alone = box('largeVideoBackground', words('remote.defaultName'))
    this.largePicture = h(
      'div',
      { id: 'largeVideoContainer' },
      h('div', { id: 'largeVideoWrapper' }, this.large),
      alone,
    )
    alone.hidden = true
    this.stops = [devices.watch(() => showTrack(own, devices.track('camera'))), media.watch(() => this.showPictures())]
  }

  show(people: readonly PagePerson[]): void {
    const wanted = new Map<string, { person: PagePerson; isScreen: boolean }>()
    for (const person of people) if (person.isSharing) wanted.set(`${person.endpoint}-v1`, { person, isScreen: true })
    for (const person of people) {
      // Those that are scrolled away are not in the page.
      if (wanted.size < this.context.settings.mostTiles) wanted.set(person.endpoint, { person, isScreen: false })
    }
    for (const [id, tile] of this.tiles) {
      if (wanted.has(id)) continue
      tile.close()
      this.tiles.delete(id)
    }
    for (const [id, { person, isScreen }] of wanted) {
      const tile = this.tiles.get(id) ?? new Tile(this.context, id, isScreen)
      if (!this.tiles.has(id)) {
        this.tiles.set(id, tile)
        this.remote.append(tile.root)
      }
      tile.update(person)
    }
    this.showPictures()
  }

  /** A speaker becomes the dominant speaker, until another participant speaks. */
  setSpeaking(endpoint: string, speaking: boolean): void {
    const { state } = this.context
    this.tiles.get(endpoint)?.setSpeaking(speaking)
    if (!speaking) return
    state.dominant = endpoint
    for (const [id, tile] of this.tiles) tile.setDominant(id === endpoint)
    this.showPictures()
  }

  private showPictures(): void {
    const { state, media } = this.context
    for (const tile of this.tiles.values()) tile.showPicture()
    const screen = state.people.find(({ isSharing }) => isSharing)
    const dominant = state.people.find(({ endpoint }) => endpoint === state.dominant) ?? state.people[0]
    const source = screen ? `${screen.endpoint}-v1` : dominant?.camera ? `${dominant.endpoint}-v0` : null
    const track = source === null ? null : media.pictureOf(source)
    const stream = track && media.streamOf(track)
    if (this.large.srcObject !== stream) this.large.srcObject = stream
  }

  close(): void {
    for (const stop of this.stops) stop()
    for (const tile of this.tiles.values()) tile.close()
    this.tiles.clear()
  }
}

class Tile {
  readonly root: HTMLElement
  private readonly context: Context
  private readonly id: string
  private readonly isScreen: boolean
  private readonly name: HTMLElement
  private readonly picture = box('videocontainer__video')
  private readonly dots: HTMLElement[]
  private readonly statuses = box('videocontainer__toolbar')
  private person: PagePerson | null = null
  private flicker: ReturnType<typeof setTimeout> | undefined

  constructor(context: Context, id: string, isScreen: boolean) {
    this.context = context
    this.id = id
    this.isScreen = isScreen
    this.name = h('span', { id: `participant_${id}_name`, class: 'displayname' })
    this.dots = ['audiodot-top', 'audiodot-middle', 'audiodot-bottom'].map((dot) =>
      h('span', { class: dot, style: 'opacity: 0' }),
    )
    this.root = h(
      'span',
      { id: `participant_${id}`, class: 'videocontainer' },
      this.picture,
      this.statuses,
      box('displayNameContainer', this.name),
      box('audioindicator-container', box('audioindicator', ...this.dots)),
    )
  }

  update(person: PagePerson): void {
    this.person = person
    this.name.textContent = person.name || this.context.words('remote.defaultName')
    const marks = [person.isModerator && '★', person.muted && '🔇'].filter(Boolean).join(' ')
    if (this.statuses.textContent !== marks) this.statuses.textContent = marks
  }

  showPicture(): void {
    const { media } = this.context
    const { person } = this
    if (!person) return
    const track = media.pictureOf(this.isScreen ? this.id : `${this.id}-v0`)
    const stream = track && (this.isScreen || person.camera) ? media.streamOf(track) : null
    const shown = this.picture.firstElementChild
    if (stream) {
      if (shown instanceof HTMLVideoElement && shown.srcObject === stream) return
      const video = h('video', { id: `remoteVideo_${stream.id}`, autoplay: true, playsinline: true })
      video.muted = true
      video.srcObject = stream
      this.picture.replaceChildren(video)
    } else if (!shown?.matches('.avatar-container')) {
      const hue = randomOf(hashOf(this.id)).int(0, 359)
      const letter = [...person.name][0]?.toUpperCase() ?? '?'
      const avatar = h('div', { class: 'userAvatar', style: `background: hsl(${hue} 45% 40%)` }, letter)
      this.picture.replaceChildren(box('avatar-container', avatar))
    }
  }

  setDominant(isDominant: boolean): void {
    this.root.classList.toggle('dominant-speaker', isDominant)
  }

  /** Dots that grow with the voice. They do not move in a hidden tab. */
  setSpeaking(speaking: boolean): void {
    clearTimeout(this.flicker)
    const show = (level: number) =>
      this.dots.forEach((dot, index) => {
        dot.style.opacity = String(index === 1 ? level : level / 2)
      })
    if (!speaking) {
      show(0)
      return
    }
    const { random } = this.context
    const change = () => {
      if (!document.hidden) show(random.int(2, 10) / 10)
      this.flicker = setTimeout(change, random.int(100, 250))
    }
    change()
  }

  close(): void {
    clearTimeout(this.flicker)
    this.root.remove()
  }
}
