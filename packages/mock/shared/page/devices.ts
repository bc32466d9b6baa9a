/**
 * The page's own microphone and camera, requested as often as real pages do: on the pre-join page, at admission and on
 * every toggle.
 */

export type DeviceKind = 'microphone' | 'camera'

interface Device {
  on: boolean
  exists: boolean
  track: MediaStreamTrack | null
}

export class Devices {
  private readonly state: Record<DeviceKind, Device> = {
    microphone: { on: false, exists: false, track: null },
    camera: { on: false, exists: false, track: null },
  }
  private readonly watchers = new Set<() => void>()
  private readonly forced: 'ask' | 'none'

  /** @param forced `none`: the machine counts as one without devices, even if the browser reports some */
  constructor(forced: 'ask' | 'none') {
    this.forced = forced
    navigator.mediaDevices?.addEventListener('devicechange', () => void this.listAnew())
  }

  isOn(kind: DeviceKind): boolean {
    return this.state[kind].on
  }

  exists(kind: DeviceKind): boolean {
    return this.state[kind].exists
  }

  track(kind: DeviceKind): MediaStreamTrack | null {
    return this.state[kind].track
  }

  /** Calls back now and after every change. */
  watch(callback: () => void): () => void {
    this.watchers.add(callback)
    callback()
    return () => this.watchers.delete(callback)
  }

  /** Whether the browser would have to ask a person first, or has nothing to offer. */
  async needPrompt(): Promise<boolean> {
    const { microphone, camera } = await this.list()
    if (!microphone && !camera) return true
    const states = await Promise.all(
      ['microphone', 'camera'].map((name) =>
        navigator.permissions.query({ name: name as PermissionName }).then(
          (status) => status.state,
          () => 'granted',
        ),
      ),
    )
    return states.every((state) => state !== 'granted')
  }

  /** Requests the wanted devices that exist, and turns them on. Other devices stay as they are. */
  async acquire(wanted: { microphone: boolean; camera: boolean }): Promise<void> {
    const found = await this.list()
    this.state.microphone.exists = found.microphone
    this.state.camera.exists = found.camera
    const wish = { microphone: wanted.microphone && found.microphone, camera: wanted.camera && found.camera }
    if (wish.microphone || wish.camera) {
      const stream = await this.ask(wish)
      for (const kind of ['microphone', 'camera'] as const) {
        const track = kind === 'microphone' ? stream?.getAudioTracks()[0] : stream?.getVideoTracks()[0]
        if (wish[kind]) this.put(kind, track ?? null)
      }
    }
    this.changed()
  }

  /** Turns a device on (with a new request to the browser) or off, as a click on its toggle does. */
  async set(kind: DeviceKind, on: boolean): Promise<void> {
    const device = this.state[kind]
    if (!device.exists || device.on === on) return
    if (on) {
      await navigator.mediaDevices.enumerateDevices()
      const stream = await this.ask({ microphone: kind === 'microphone', camera: kind === 'camera' })
      this.put(kind, stream?.getTracks()[0] ?? null)
    } else {
      device.on = false
      device.track?.stop()
      device.track = null
    }
    this.changed()
  }

  private async listAnew(): Promise<void> {
    const found = await this.list()
    for (const kind of ['microphone', 'camera'] as const) this.state[kind].exists = found[kind]
    this.changed()
  }

  private put(kind: DeviceKind, track: MediaStreamTrack | null): void {
    const device = this.state[kind]
    if (device.track !== track) device.track?.stop()
    device.track = track
    device.on = track !== null
    track?.addEventListener('ended', () => {
      if (device.track !== track) return
      // The device was unplugged: a page's own `stop` fires no event.
      device.track = null
      device.on = false
      this.changed()
    })
    if (track === null) device.exists = false
  }

  private async list(): Promise<{ microphone: boolean; camera: boolean }> {
    if (this.forced === 'none') return { microphone: false, camera: false }
    const devices = await navigator.mediaDevices.enumerateDevices()
    return {
      microphone: devices.some((device) => device.kind === 'audioinput'),
      camera: devices.some((device) => device.kind === 'videoinput'),
    }
  }

  private async ask(wish: { microphone: boolean; camera: boolean }): Promise<MediaStream | null> {
    const video = { width: { ideal: 1280 }, height: { ideal: 720 } }
    const audio = { echoCancellation: true }
    try {
      return await navigator.mediaDevices.getUserMedia({
        audio: wish.microphone && audio,
        video: wish.camera && video,
      })
    } catch {
      // One device may be missing or refused while the other works, so each is asked alone.
      const single = await Promise.all([
        wish.microphone ? navigator.mediaDevices.getUserMedia({ audio }).catch(() => null) : null,
        wish.camera ? navigator.mediaDevices.getUserMedia({ video }).catch(() => null) : null,
      ])
      return new MediaStream(single.flatMap((stream) => stream?.getTracks() ?? []))
    }
  }

  private changed(): void {
    for (const watcher of this.watchers) watcher()
  }
}

/** Shows a track of one's own, or nothing. */
export function showTrack(video: HTMLVideoElement, track: MediaStreamTrack | null): void {
  video.srcObject = track ? new MediaStream([track]) : null
  if (track) video.play().catch(() => {}) // Removed from the page before it began to play.
}
