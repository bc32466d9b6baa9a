/**
 * Our element over the whole page, which does not disturb the page: it takes no clicks and no focus, locators and
 * screen readers do not find it, and it comes back when the page removes it or puts another element above it.
 */
import { wrapMethod } from '../dom/patch-native.ts'

/**
 * Inline and important, so that no style sheet of the page wins. It stays displayed while it is taken out of the top
 * layer and put back, so that the layout does not start over and no video loses its picture.
 */
const HOST_STYLE: Readonly<Record<string, string>> = {
  all: 'initial',
  position: 'fixed',
  inset: '0',
  width: '100vw',
  height: '100vh',
  'max-width': 'none',
  'max-height': 'none',
  display: 'block',
  visibility: 'visible',
  overflow: 'hidden',
  contain: 'strict',
  'pointer-events': 'none',
  'user-select': 'none',
  // The fallback for a browser that has no top layer for it.
  'z-index': '2147483647',
}

/** `reattached` is called when the page had removed the layer and it is back; videos are paused until played again. */
export function createTopLayer(reattached: () => void) {
  const host = document.createElement('div')
  const root = host.attachShadow({ mode: 'closed' })
  host.setAttribute('aria-hidden', 'true')
  host.setAttribute('inert', '')
  host.setAttribute('popover', 'manual')
  for (const [name, value] of Object.entries(HOST_STYLE)) host.style.setProperty(name, value, 'important')

  const openPopover = HTMLElement.prototype.showPopover
  const closePopover = HTMLElement.prototype.hidePopover
  const nextFrame = requestAnimationFrame.bind(globalThis)
  let isShown = false

  /** The element that entered last is on top. Leaving and entering within one task is never painted. */
  function raise(): void {
    if (!isShown || !host.isConnected || typeof openPopover !== 'function') return
    try {
      if (host.matches(':popover-open')) closePopover.call(host)
      openPopover.call(host)
    } catch {
      // The document is being torn down or replaced; the observer brings the layer back if there is a new one.
    }
  }

  function attach(): void {
    if (!isShown || host.isConnected || !document.documentElement) return
    document.documentElement.append(host)
    raise()
    reattached()
  }

  /** Both before the next frame is drawn: one runs when the present script ends, the other when no script runs. */
  function raiseSoon(): void {
    queueMicrotask(raise)
    nextFrame(raise)
  }

  function onToggle(event: Event): void {
    if (event.target === host) event.stopImmediatePropagation()
    else if ((event as ToggleEvent).newState === 'open') raiseSoon()
  }

  const undo: (() => void)[] = [
    ...raisedAfter(HTMLDialogElement.prototype, ['showModal'], raise),
    ...raisedAfter(HTMLElement.prototype, ['showPopover', 'togglePopover'], raise),
    ...silenced(['alert', 'confirm', 'prompt'], () => isShown),
    // Toggle events inside the shadow trees of the page stay inside them.
    wrapMethod(Element.prototype, 'attachShadow', (native, _self, given) => {
      const shadow = native(...given) as ShadowRoot
      for (const type of ['beforetoggle', 'toggle']) shadow.addEventListener(type, onToggle, true)
      return shadow
    }),
    listen(window, 'beforetoggle', onToggle),
    listen(window, 'toggle', onToggle),
    listen(window, 'fullscreenchange', () => {
      raise()
      raiseSoon()
    }),
  ]

  const observer = new MutationObserver(attach)

  return {
    root,
    show(): void {
      if (isShown) return
      isShown = true
      observer.observe(document, { childList: true })
      if (document.documentElement) observer.observe(document.documentElement, { childList: true })
      attach()
      raise()
    },
    hide(): void {
      isShown = false
      observer.disconnect()
      host.remove()
    },
    dispose(): void {
      this.hide()
      for (const step of undo.splice(0)) step()
    },
  }
}

function raisedAfter(owner: object, names: string[], raise: () => void): (() => void)[] {
  return names.map((name) =>
    wrapMethod(owner, name, (native, _self, given) => {
      const result = native(...given)
      raise()
      return result
    }),
  )
}

/** The browser draws these over everything, and the page is blocked meanwhile. They answer as if dismissed. */
function silenced(names: string[], isShown: () => boolean): (() => void)[] {
  const dismissed: Record<string, unknown> = { confirm: false, prompt: null }
  return names.map((name) =>
    wrapMethod(globalThis, name, (native, _self, given) => (isShown() ? dismissed[name] : native(...given))),
  )
}

function listen(target: EventTarget, type: string, listener: (event: Event) => void): () => void {
  target.addEventListener(type, listener, true)
  return () => target.removeEventListener(type, listener, true)
}
