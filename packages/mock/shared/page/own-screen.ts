/** The page's own shared screen, asked of the browser at each press of the button. */
export class OwnScreen {
  track: MediaStreamTrack | null = null
  /** False where a host forbids it. */
  isAllowed = true
  private readonly watchers = new Set<() => void>()

  /** Calls back now and after every change. */
  watch(callback: () => void): () => void {
    this.watchers.add(callback)
    callback()
    return () => this.watchers.delete(callback)
  }

  allow(isAllowed: boolean): void {
    this.isAllowed = isAllowed
    this.changed()
  }

  async start(): Promise<void> {
    const stream = await navigator.mediaDevices
      .getDisplayMedia({ video: { frameRate: 30 }, audio: true })
      .catch(() => null)
    const track = stream?.getVideoTracks()[0] ?? null
    // Real pages decide by the kind of surface how they send it.
    if (!track?.getSettings().displaySurface) return
    // The person pressed the browser's own "Stop sharing": the page's `stop` fires no event.
    track.addEventListener('ended', () => this.stop())
    this.track = track
    this.changed()
  }

  stop(): void {
    this.track?.stop()
    this.track = null
    this.changed()
  }

  private changed(): void {
    for (const watcher of this.watchers) watcher()
  }
}
