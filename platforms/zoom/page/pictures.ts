/**
 * Gets the pictures of Zoom's video players as streams. A player contains a video element, or a canvas into which the
 * client draws; either may be inside a shadow tree (docs/platform-notes/zoom.md#video-rendering).
 */
import { wrapMethod } from '../../shared/page/dom/patch-native.ts'

/** The frame rate of the recording. */
const FRAMES_PER_SECOND = 25

export type Pictures = ReturnType<typeof watchPictures>

/** To be called at document start: closed shadow trees can be caught only when they are created. */
export function watchPictures() {
  const shadows = new WeakMap<Element, ShadowRoot>()
  const canvases = new WeakMap<HTMLCanvasElement, MediaStream | null>()
  wrapMethod(Element.prototype, 'attachShadow', (native, self, given) => {
    const shadow = native(...given) as ShadowRoot
    if (self instanceof Element) shadows.set(self, shadow)
    return shadow
  })

  function within(element: Element): (HTMLVideoElement | HTMLCanvasElement)[] {
    const found: (HTMLVideoElement | HTMLCanvasElement)[] = []
    const search = (root: Element | ShadowRoot) => {
      if (root instanceof HTMLVideoElement || root instanceof HTMLCanvasElement) found.push(root)
      const shadow = root instanceof Element ? shadows.get(root) : undefined
      if (shadow) search(shadow)
      for (const child of root.children) search(child)
    }
    search(element)
    return found
  }

  function streamOfCanvas(canvas: HTMLCanvasElement): MediaStream | null {
    const known = canvases.get(canvas)
    if (known?.getVideoTracks().some(({ readyState }) => readyState === 'live')) return known
    let stream: MediaStream | null = null
    try {
      stream = canvas.captureStream(FRAMES_PER_SECOND)
    } catch {
      // Drawn with pictures of other sites, or by a worker that does not give them: the composite shows initials.
    }
    canvases.set(canvas, stream)
    return stream
  }

  return {
    /** The picture that this element or its content shows now; null if it shows none. */
    streamIn(element: Element): MediaStream | null {
      for (const media of within(element)) {
        if (!media.checkVisibility({ visibilityProperty: true })) continue
        if (media instanceof HTMLCanvasElement) {
          // A canvas without a size was never drawn into.
          if (media.width < 2 || media.height < 2) continue
          const stream = streamOfCanvas(media)
          if (stream) return stream
          continue
        }
        const source = media.srcObject
        if (source instanceof MediaStream && source.getVideoTracks().some(({ readyState }) => readyState === 'live'))
          return source
      }
      return null
    },
  }
}
