/** The one pane beside the tiles: people or chat, never both. A closed pane is not in the document. */
import { box, h } from '../../shared/page/dom.ts'
import { button, type Context, part } from './context.ts'

/** The content of the pane. */
export interface PaneContent {
  title: string
  /** How long it takes until the content is there, in milliseconds. */
  mountMs: number
  mount(): HTMLElement
  unmount(): void
}

export class SidePane {
  /** The parent of the open pane. */
  readonly place: HTMLElement
  private readonly context: Context
  private shown: PaneContent | null = null
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor(context: Context) {
    this.context = context
    this.place = box(context.cls('panePlace'))
  }

  toggle(content: PaneContent): void {
    const wasShown = this.shown === content
    this.close()
    if (!wasShown) this.open(content)
  }

  private open(content: PaneContent): void {
    const { cls, words } = this.context
    this.shown = content
    const pane = part(
      'calling-right-side-panel',
      { class: cls('pane') },
      part(
        'rail-header',
        { class: cls('paneHeader') },
        h('h2', { 'data-tid': 'right-side-panel-header-title' }, words(content.title)),
        button(this.context, { 'data-tid': 'rail-header-close-button', 'aria-label': words('Close') }, '×', () =>
          this.close(),
        ),
      ),
    )
    this.place.replaceChildren(pane)
    this.timer = setTimeout(() => pane.append(content.mount()), content.mountMs)
  }

  close(): void {
    clearTimeout(this.timer)
    this.shown?.unmount()
    this.shown = null
    this.place.replaceChildren()
  }
}
