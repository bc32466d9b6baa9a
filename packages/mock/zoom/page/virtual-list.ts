/** A list of which only the rows in view (and two around them) are in the DOM, in their order. */
import { h } from '../../shared/page/dom.ts'

const ROWS_AROUND = 2

export interface VirtualRow {
  /** Changes with what the row shows. */
  key: string
  /** Pixels. */
  height: number
  make(): HTMLElement
}

export class VirtualList {
  private readonly scroller: HTMLElement
  private readonly sizer: HTMLElement
  private readonly made = new Map<string, HTMLElement>()
  private readonly observer: ResizeObserver
  private rows: readonly VirtualRow[] = []

  /** @param scroller gets the rows; its height does not depend on them */
  constructor(scroller: HTMLElement, sizerClass = '') {
    this.scroller = scroller
    this.sizer = h('div', { class: sizerClass, style: 'position:relative;width:100%' })
    scroller.append(this.sizer)
    scroller.addEventListener('scroll', () => this.render())
    this.observer = new ResizeObserver(() => this.render())
    this.observer.observe(scroller)
  }

  show(rows: readonly VirtualRow[]): void {
    this.rows = rows
    this.sizer.style.height = `${rows.reduce((sum, { height }) => sum + height, 0)}px`
    this.render()
  }

  scrollToEnd(): void {
    this.scroller.scrollTop = this.scroller.scrollHeight
  }

  get isAtEnd(): boolean {
    return this.scroller.scrollTop + this.scroller.clientHeight >= this.scroller.scrollHeight - 8
  }

  close(): void {
    this.observer.disconnect()
  }

  private render(): void {
    const from = this.scroller.scrollTop
    const to = from + this.scroller.clientHeight
    let top = 0
    let first = -1
    let last = -2
    const tops = this.rows.map(({ height }, index) => {
      const at = top
      top += height
      if (top > from && at < to) {
        if (first < 0) first = index
        last = index
      }
      return at
    })
    const wanted = new Map<string, HTMLElement>()
    const begin = Math.max(0, first - ROWS_AROUND)
    for (let index = begin; first >= 0 && index <= Math.min(last + ROWS_AROUND, this.rows.length - 1); index++) {
      const row = this.rows[index]!
      const element = this.made.get(row.key) ?? row.make()
      element.style.cssText += `;position:absolute;left:0;right:0;top:${tops[index]}px;height:${row.height}px`
      wanted.set(row.key, element)
    }
    for (const [key, element] of this.made) if (!wanted.has(key)) element.remove()
    this.made.clear()
    const { children } = this.sizer
    for (const [key, element] of wanted) {
      const index = this.made.size
      if (children[index] !== element) this.sizer.insertBefore(element, children[index] ?? null)
      this.made.set(key, element)
    }
  }
}
