/**
 * Captions (docs/platform-notes/microsoft-teams.md#captions): their window appears after the first speech; rows grow in
 * place.
 */
import { box, h } from '../../shared/page/dom.ts'
import { button, type Context, part } from './context.ts'
import type { MenuItem } from './menus.ts'

const ROWS_KEPT = 5
const DEFAULT_LANGUAGE = 'en-us'

export class Captions {
  /** Where the window is, while there is one. */
  readonly place: HTMLElement
  private readonly context: Context
  private readonly rows = new Map<number, HTMLElement>()
  private list: HTMLElement | null = null
  private waiting: { row: number; name: string; text: string }[] = []
  private timer: ReturnType<typeof setTimeout> | undefined
  private isOn = false
  private spoken = DEFAULT_LANGUAGE

  constructor(context: Context) {
    this.context = context
    this.place = box(context.cls('captionsPlace'))
  }

  get language(): string {
    return this.spoken
  }

  setLanguage(language: string): void {
    this.spoken = language
    if (this.isOn) this.report()
  }

  /** The current items of the menu. */
  items(): MenuItem[] {
    const { words } = this.context
    return this.isOn
      ? [{ tid: 'closed-captions-turn-off-button', text: words('Turn off captions'), run: () => this.setOn(false) }]
      : [{ id: 'closed-captions-button', text: words('Show live captions'), run: () => this.setOn(true) }]
  }

  setOn(isOn: boolean): void {
    if (isOn === this.isOn) return
    this.isOn = isOn
    if (!isOn) this.close()
    this.report()
  }

  private report(): void {
    this.context.say({ say: 'captions', on: this.isOn, language: this.spoken })
  }

  update(row: number, name: string, text: string): void {
    if (!this.isOn) return
    if (!this.list) {
      this.waiting.push({ row, name, text })
      this.timer ??= setTimeout(() => this.mount(), this.context.settings.captionMountMs)
      return
    }
    let element = this.rows.get(row)
    if (!element) {
      element = box(
        `fui-ChatMessageCompact ${this.context.cls('captionRow')}`,
        h('span', { 'data-tid': 'author', class: this.context.cls('author') }, name),
        h('span', { 'data-tid': 'closed-caption-text' }),
      )
      this.rows.set(row, element)
      this.list.append(element)
      for (const old of [...this.rows.keys()].slice(0, -ROWS_KEPT)) {
        this.rows.get(old)?.remove()
        this.rows.delete(old)
      }
    }
    const body = element.lastElementChild
    if (body) body.textContent = text
  }

  private mount(): void {
    const { cls, words, settings } = this.context
    const rows = part('closed-caption-v2-virtual-list-content', { class: cls('captionRows') })
    // Only the full client has one more level around the rows.
    const inner = settings.skin === 'full' ? part('closed-captions-v2-items-renderer') : null
    if (inner) rows.append(inner)
    this.list = inner ?? rows
    this.place.replaceChildren(
      part(
        'closed-caption-renderer-wrapper',
        { class: cls('captions'), role: 'alert' },
        button(
          this.context,
          { id: 'captions-panel-dismiss-button', 'aria-label': words('Turn off captions') },
          '×',
          () => this.setOn(false),
        ),
        part('closed-caption-v2-window-wrapper', {}, rows),
      ),
    )
    for (const { row, name, text } of this.waiting.splice(0)) this.update(row, name, text)
  }

  close(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.list = null
    this.rows.clear()
    this.waiting = []
    this.place.replaceChildren()
  }
}
