/**
 * Keeps the page from opening the desktop app: the browser would ask in a separate window outside of the document,
 * where the bot cannot answer (docs/platform-notes/microsoft-teams.md#launcher).
 */
import { wrapMethod } from '../../shared/page/dom/patch-native.ts'

const OF_THE_WEB = /^(?:https?|about|blob|data|javascript|wss?):/i
/** The one page that is known to do this. */
const LAUNCHER = '/dl/launcher'
const SCHEME = /^\s*[a-z][a-z0-9+.-]*:/i

export function isForeign(address: unknown): boolean {
  const text = String(address ?? '')
  return SCHEME.test(text) && !OF_THE_WEB.test(text.trimStart())
}

/** To be called at document start. */
export function blockForeignSchemes(): void {
  wrapMethod(globalThis, 'open', (native, _self, given) => (isForeign(given[0]) ? null : native(...given)))
  wrapMethod(Element.prototype, 'setAttribute', (native, self, given) => {
    const isSource = self instanceof HTMLIFrameElement && String(given[0]).toLowerCase() === 'src'
    if (!(isSource && isForeign(given[1]))) native(...given)
  })
  const source = Object.getOwnPropertyDescriptor(HTMLIFrameElement.prototype, 'src')
  const { set } = source ?? {}
  if (source && set) {
    Object.defineProperty(HTMLIFrameElement.prototype, 'src', {
      ...source,
      set: new Proxy(set, {
        apply: (target, self, given) => (isForeign(given[0]) ? undefined : Reflect.apply(target, self, given)),
      }),
    })
  }
  document.addEventListener(
    'click',
    (event) => {
      const link = event.composedPath().find((part) => part instanceof HTMLAnchorElement)
      if (link && isForeign(link.getAttribute('href'))) event.preventDefault()
    },
    true,
  )
  // `location` cannot be wrapped, but its navigations can be cancelled.
  const { navigation } = globalThis as { navigation?: EventTarget }
  navigation?.addEventListener('navigate', (event) => {
    const { destination } = event as Event & { destination?: { url?: unknown } }
    if (isForeign(destination?.url)) event.preventDefault()
  })
  if (location.pathname.startsWith(LAUNCHER)) refuseFrames()
}

/** Removes frames that come as markup before they open anything. */
function refuseFrames(): void {
  const refuse = () => {
    for (const frame of document.querySelectorAll('iframe[src]')) {
      if (isForeign(frame.getAttribute('src'))) frame.removeAttribute('src')
    }
  }
  new MutationObserver(refuse).observe(document, { childList: true, subtree: true })
}
