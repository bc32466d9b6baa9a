/**
 * How a tile shows that its person speaks: any of the ways that were ever seen
 * (docs/platform-notes/microsoft-teams.md#signs-of-speech), chosen per load.
 */
import { setAttribute } from '../../shared/page/dom.ts'
import type { Context } from './context.ts'

const MOTION_MS = 150

export class SpeakingMarks {
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
