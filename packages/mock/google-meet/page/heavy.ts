/** Additions of a large meeting to the page: animations, blurred surfaces, and pictures in the sizes of their tiles. */

import { box, h } from '../../shared/page/dom.ts'
import type { Context } from './context.ts'
import type { Media } from './media.ts'

/** `@part` is a class of this load, `~~name` a rule with key frames. */
const STYLES = `
.@heavy{position:absolute;inset:0;pointer-events:none;overflow:hidden}
.@nameBar{padding:4px 8px;border-radius:8px;background:rgba(32,33,36,.4);backdrop-filter:blur(6px)}
.@toolbar,.@sideNav{padding:8px;border-radius:32px;background:rgba(32,33,36,.5);backdrop-filter:blur(12px)}
.@wave{position:absolute;right:12px;top:12px;width:28px;height:28px;border-radius:50%;background:#0b57d0;display:none;gap:3px;align-items:center;justify-content:center}
.@talking .@wave{display:flex}
.@wave span{width:4px;height:12px;border-radius:2px;background:#fff;animation:~wave .6s ease-in-out infinite alternate}
.@wave span:nth-child(2){animation-delay:-.2s;height:18px}
.@wave span:nth-child(3){animation-delay:-.4s}
.@talking::after{content:'';position:absolute;inset:0;border-radius:12px;box-shadow:inset 0 0 0 4px #a8c7fa;animation:~ring 1.2s ease-in-out infinite alternate}
.@recording{position:absolute;top:24px;left:50%;width:12px;height:12px;border-radius:50%;background:#dc362e;animation:~ring 1s linear infinite alternate}
.@emoji{position:absolute;bottom:96px;font-size:32px;animation:~float 4s ease-in infinite}
.@shimmer{position:absolute;top:8px;right:24px;width:120px;height:8px;border-radius:4px;background:linear-gradient(90deg,#333537,#8e918f,#333537) 0 0/200% 100%;animation:~shimmer 1.5s linear infinite}
~~wave{from{transform:scaleY(.4)}to{transform:scaleY(1)}}
~~ring{from{opacity:.4}to{opacity:1}}
~~float{from{transform:translateY(0);opacity:1}to{transform:translateY(-420px);opacity:0}}
~~shimmer{from{background-position:200% 0}to{background-position:0 0}}
`
const EMOJIS = ['👍', '🎉', '💖', '😂', '👏', '😮']

export function addHeavyStyles(cls: (part: string) => string): void {
  const sheet = new CSSStyleSheet()
  const styles = STYLES.replace(/@([a-zA-Z]+)/g, (_, part: string) => cls(part))
  sheet.replaceSync(styles.replaceAll('~~', '@keyframes ').replaceAll('~', ''))
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
}

/** Three bars that dance while the person of the tile speaks. */
export function voiceWave({ cls }: Context): HTMLElement {
  return h('div', { 'aria-hidden': 'true', class: cls('wave') }, h('span'), h('span'), h('span'))
}

/** Reactions that float over the page, a recording mark that pulses, and a bar that shimmers, all without an end. */
export function heavyOrnaments({ cls }: Context): HTMLElement {
  const emojis = EMOJIS.map((emoji, index) => {
    const element = box(cls('emoji'), emoji)
    element.style.left = `${10 + index * 14}%`
    element.style.animationDelay = `${-index * 0.7}s`
    return element
  })
  const parts = [box(cls('recording')), box(cls('shimmer')), ...emojis]
  return h('div', { 'aria-hidden': 'true', class: cls('heavy') }, ...parts)
}

/** Asks the server for each picture in the size of its tile, as real pages do. */
export class TileSizes {
  private readonly media: Media
  private readonly devices = new Map<Element, string>()
  private readonly observer = new ResizeObserver(() => this.ask())
  private readonly stopWatching: () => void

  constructor(media: Media) {
    this.media = media
    this.stopWatching = media.watch(() => this.ask())
  }

  add(tile: Element, device: string): void {
    this.devices.set(tile, device)
    this.observer.observe(tile)
  }

  remove(tile: Element): void {
    this.devices.delete(tile)
    this.observer.unobserve(tile)
  }

  close(): void {
    this.stopWatching()
    this.observer.disconnect()
  }

  /** A picture fills its tile, and is cut where it is wider or higher. */
  private ask(): void {
    const heights = [...this.devices].map(([tile, device]): [string, number] => {
      const height = Math.max(tile.clientHeight, (tile.clientWidth * 9) / 16)
      return [device, Math.round(height * devicePixelRatio)]
    })
    this.media.askFor(new Map(heights))
  }
}
