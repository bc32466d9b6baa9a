/** What pages of every platform do by themselves. */

/** Real pages always have requests under way; "network idle" never comes. */
export function keepNetworkBusy(path: string): void {
  const again = (): Promise<unknown> => fetch(`${path}?${Math.random()}`).then(again, () => undefined)
  void again()
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

/** Tells whether pointer and keys have rested for this long, at every change. Returns how to stop. */
export function whenIdle(afterMs: number, tell: (isIdle: boolean) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const awake = () => {
    tell(false)
    clearTimeout(timer)
    timer = setTimeout(() => tell(true), afterMs)
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
