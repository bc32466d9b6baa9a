/** One tile of the call: a person's picture or avatar, or a shared screen. */

import type { Connection } from '../../shared/page/connection.ts'
import { showTrack } from '../../shared/page/devices.ts'
import { avatarOf, box, h, mutedVideo, setAttribute } from '../../shared/page/dom.ts'
import { type Context, part, randomId } from './context.ts'
import type { PagePerson } from './protocol.ts'

const MOTION_MS = 150

class SpeakingMarks {
  private readonly context: Context
  private readonly outline: HTMLElement
  private motion: ReturnType<typeof setInterval> | undefined
  private isSpeaking = false

  /** @param outline the element that carries the marks; every tile has one, except the page's own */
  constructor(context: Context, outline: HTMLElement) {
    this.context = context
    this.outline = outline
    this.paint()
  }

  /** Whether labels for screen readers say so, too. */
  get says(): boolean {
    return this.isSpeaking && this.context.settings.marks.includes('aria')
  }

  set(isSpeaking: boolean): void {
    if (isSpeaking === this.isSpeaking) return
    this.isSpeaking = isSpeaking
    this.paint()
  }

  close(): void {
    clearInterval(this.motion)
    this.motion = undefined
  }

  private paint(): void {
    const { cls, settings, random } = this.context
    const has = (mark: string) => this.isSpeaking && settings.marks.includes(mark as (typeof settings.marks)[number])
    // Nearly all classes of the outline change between speech and silence, one of them is known.
    this.outline.className = [
      cls('outline'),
      cls(this.isSpeaking ? 'outlineA' : 'outlineB'),
      has('class') && 'vdi-frame-occlusion',
      has('before') && cls('outlineBefore'),
      has('after') && cls('outlineAfter'),
    ]
      .filter(Boolean)
      .join(' ')
    setAttribute(this.outline, 'data-is-speaking', has('attribute') ? 'true' : undefined)
    this.close()
    this.outline.style.removeProperty('border-width')
    if (!has('motion')) return
    this.motion = setInterval(() => {
      this.outline.style.borderWidth = `${random.int(1, 6)}px`
    }, MOTION_MS)
  }
}

/** The source of a tile's pictures. */
export type Pictures = Pick<Connection, 'pictureOf' | 'watch' | 'screen'>

export type StreamType = 'Video' | 'ScreenSharing'

/** How a picture is named between page and server. */
export function sourceOf(mri: string, type: StreamType): string {
  return `${mri}|${type}`
}

export class Tile {
  readonly root: HTMLElement
  private readonly context: Context
  private readonly pictures: Pictures
  private readonly type: StreamType
  private readonly container: HTMLElement
  private readonly stream: HTMLElement
  private readonly media: HTMLElement
  private readonly nametag: HTMLElement
  private readonly hand = part('raised-hand-icon', { hidden: true })
  private readonly marks: SpeakingMarks | null
  private readonly stopWatching: () => void
  private readonly resolving: ReturnType<typeof setTimeout> | undefined
  private isResolved = true
  private person: PagePerson

  constructor(context: Context, pictures: Pictures, person: PagePerson, type: StreamType) {
    const { cls, random, settings } = context
    this.context = context
    this.pictures = pictures
    this.person = person
    this.type = type
    const hasOutline = type === 'Video' && !person.isSelf
    const outline = part('voice-level-stream-outline')
    this.marks = hasOutline ? new SpeakingMarks(context, outline) : null
    this.media = box(cls('tileMedia'))
    this.nametag = part('participant-info-nametag', { class: cls('nametag') })
    this.stream = h(
      'div',
      { 'data-stream-type': type, 'data-cid': 'calling-participant-stream', class: cls('stream') },
      type === 'Video' && person.isSelf ? part('myself-video', { class: cls('tileMedia') }, this.media) : this.media,
      hasOutline && outline,
    )
    this.container = box(cls('tileContainer'), this.stream, this.nametag, this.hand)
    this.root = h(
      'div',
      {
        role: 'menuitem',
        tabindex: 0,
        'data-acc-element-id': randomId(random, 'acc'),
        class: cls(type === 'Video' ? 'tile' : 'shareTile'),
      },
      this.container,
    )
    if (type === 'Video' && !person.isSelf && person.unresolved !== '') {
      this.isResolved = false
      this.resolving = setTimeout(() => {
        this.isResolved = true
        this.update(this.person)
      }, settings.unresolvedMs)
    }
    const source = !person.isSelf ? pictures : type === 'Video' ? context.devices : pictures.screen
    this.stopWatching = source.watch(() => this.showMedia())
    this.update(person)
  }

  update(person: PagePerson): void {
    this.person = person
    const isShare = this.type === 'ScreenSharing'
    const shared = this.context.words('Content shared by {0}', person.name)
    const name = isShare ? shared : person.name
    // An account's address stays the tile's name for the program; a hash is replaced once the name is known.
    const staysUnresolved = person.unresolved.includes('@')
    const tid = !isShare && (!this.isResolved || staysUnresolved) && person.unresolved !== '' ? person.unresolved : name
    setAttribute(this.container, 'data-tid', `video-item-container-${tid}`)
    setAttribute(this.stream, 'data-tid', isShare && this.context.settings.seed % 2 === 1 ? undefined : tid)
    if (isShare) setAttribute(this.stream, 'aria-label', name)
    const shownName = this.isResolved ? name : ''
    if (this.nametag.textContent !== shownName) this.nametag.textContent = shownName
    this.hand.hidden = isShare || !person.handRaised
    this.setSpeaking(person.speaking)
    this.showMedia()
  }

  setSpeaking(isSpeaking: boolean): void {
    this.person = { ...this.person, speaking: isSpeaking }
    this.marks?.set(isSpeaking)
    setAttribute(this.root, 'aria-label', this.label())
  }

  /** The label for screen readers. It contains names, so that no part can be cut out reliably. */
  private label(): string {
    const { person, type, context, isResolved } = this
    const { words } = context
    if (type === 'ScreenSharing') return `${words('Content shared by {0}', person.name)}, ${words('Has context menu')}`
    if (person.isSelf) {
      const parts = [words('Myself video'), person.name, person.muted && words('Muted'), words('Has context menu')]
      return parts.filter(Boolean).join(', ')
    }
    return [
      isResolved ? person.name : person.unresolved,
      this.marks?.says && words('{0} is speaking', person.name),
      words(person.camera ? 'video is on' : 'video is off'),
      person.muted && words('muted'),
      words('Context menu is available'),
    ]
      .filter(Boolean)
      .join(', ')
  }

  private showMedia(): void {
    const { person, type, media, context, pictures } = this
    const own = () => (type === 'Video' ? context.devices.track('camera') : pictures.screen.track)
    const track = person.isSelf ? own() : pictures.pictureOf(sourceOf(person.mri, type))
    const wanted = person.isSelf || type === 'ScreenSharing' || person.camera ? track : null
    const shown = media.querySelector('video')
    if (wanted) {
      if ((shown?.srcObject as MediaStream | null | undefined)?.getVideoTracks()[0] === wanted) return
      const video = mutedVideo({ class: context.cls('video'), autoplay: true })
      showTrack(video, wanted)
      media.replaceChildren(h('div', { id: 'video-stream-renderer-wrapper', class: context.cls('tileMedia') }, video))
    } else if (type === 'ScreenSharing') media.replaceChildren()
    else if (shown || media.childElementCount === 0) {
      const image = h('img', {
        alt: '',
        class: context.cls('avatar'),
        src: avatarOf(person.mri, initialsOf(person.name)),
      })
      const look = { class: context.cls('avatarBox') }
      const isNamed = context.settings.seed % 3 === 0
      media.replaceChildren(
        isNamed
          ? part('calling-screen-avatar', { ...look, 'data-person-mri': person.mri }, image)
          : part('participant-avatar', look, image),
      )
    }
  }

  close(): void {
    clearTimeout(this.resolving)
    this.marks?.close()
    this.stopWatching()
    this.root.remove()
  }
}

function initialsOf(name: string): string {
  const letters = name.split(/\s+/).map((word) => [...word][0]?.toUpperCase() ?? '')
  return letters.slice(0, 2).join('')
}
