/** The frame in which the app's shell shows the meeting. */

/** True in the frame's own document. */
export function isClientFrame(): boolean {
  try {
    return window.frameElement?.id === 'webclient'
  } catch {
    // A frame of another site.
    return false
  }
}

/** Enlarges the frame to the window, because the recorded picture is as large as the frame. */
export function fillWindow(): void {
  const frame = window.frameElement as HTMLElement | null
  if (!frame) return
  const style = { position: 'fixed', inset: '0', width: '100vw', height: '100vh', border: '0', 'z-index': '2147483647' }
  for (const [name, value] of Object.entries(style)) frame.style.setProperty(name, value, 'important')
}
