/** Behavior of pages that all platforms share. */

/** Real pages always have requests under way; "network idle" never comes. */
export function keepNetworkBusy(path: string): void {
  const again = (): Promise<unknown> => fetch(`${path}?${Math.random()}`).then(again, () => undefined)
  void again()
}

/** Missing in TypeScript's library. */
declare const trustedTypes: {
  createPolicy(name: string, rules: { createScriptURL(address: string): string }): void
}

/** The one policy of Trusted Types that the server allows: addresses of the page's own server are scripts and workers. */
export function trustOwnScripts(): void {
  trustedTypes.createPolicy('page-scripts', {
    createScriptURL(address) {
      if (new URL(address, location.href).origin === location.origin) return address
      throw new TypeError(`No script of this page: ${address}`)
    },
  })
}

/** Blocks the page's only thread. */
export function freeze(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until) void 0
}

/** Hides bars while the pointer rests: they stay in the DOM, but neither a person nor a click reaches them. */
export function hideWhenIdle(bars: HTMLElement[], afterMs: number): () => void {
  const setHidden = (hidden: boolean) => {
    for (const bar of bars) {
      bar.style.opacity = hidden ? '0' : '1'
      bar.style.visibility = hidden ? 'hidden' : 'visible'
    }
  }
  return whenIdle(afterMs, setHidden)
}

/** Reports at every change whether pointer and keys have been idle for this time. Returns a function that stops it. */
function whenIdle(afterMs: number, report: (isIdle: boolean) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const awake = () => {
    report(false)
    clearTimeout(timer)
    timer = setTimeout(() => report(true), afterMs)
  }
  document.addEventListener('pointermove', awake)
  document.addEventListener('keydown', awake)
  awake()
  return () => {
    clearTimeout(timer)
    document.removeEventListener('pointermove', awake)
    document.removeEventListener('keydown', awake)
  }
}
