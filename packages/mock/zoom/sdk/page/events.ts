/**
 * The SDK's events: CustomEvents on `#zmmtg-root`, where some listeners take the place of the one before.
 * docs/platform-notes/zoom.md#sdk-events.
 */

/** For these the newest listener is the only one. */
const REPLACED = new Set(
  `onMeetingSuccess onAudioQos onVideoQos onShareQos onClaimStatus onNetworkQualityChange
  onMediaCapturePermissionChange onMediaCaptureStatusChange onRoomStatusChange onFocusModeStatusChange
  onPictureInPicture onVideoOrder onFeedBackData onPreviewPannel onWaitingPannel`.split(/\s+/),
)

type Heard = (event: Event) => void

export class SdkEvents {
  readonly #root: () => HTMLElement | null
  readonly #only = new Map<string, Heard>()

  constructor(root: () => HTMLElement | null) {
    this.#root = root
  }

  listen(name: string, callback: (data: unknown) => void): void {
    const root = this.#root()
    if (!root) {
      console.warn(`inMeetingServiceListener ${name}: #zmmtg-root is not there yet`)
      return
    }
    const heard: Heard = (event) => callback((event as CustomEvent).detail)
    const before = REPLACED.has(name) ? this.#only.get(name) : undefined
    if (before) root.removeEventListener(name, before)
    if (REPLACED.has(name)) this.#only.set(name, heard)
    root.addEventListener(name, heard)
  }

  fire(name: string, data: unknown): void {
    this.#root()?.dispatchEvent(new CustomEvent(name, { detail: data }))
  }
}
