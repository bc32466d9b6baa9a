/** Fits a video into its place. Pure. */
import type { Rectangle } from '../layout.ts'

export interface Fit {
  /** The visible part of the video; in its pixels, not always whole ones. */
  from: Rectangle
  /** Its place in the picture; even numbers, because a pixel of color is two wide and high. */
  to: Rectangle
}

/**
 * Fills the place and cuts the rest, or, with `whole`, shows the complete video in the middle of it. The place is even.
 */
export function fitInto(video: { width: number; height: number }, place: Rectangle, whole: boolean): Fit {
  const across = place.width / video.width
  const down = place.height / video.height
  const all = { x: 0, y: 0, ...video }
  if (whole) {
    const factor = Math.min(across, down)
    const width = evenly(video.width * factor)
    const height = evenly(video.height * factor)
    const x = place.x + evenly((place.width - width) / 2)
    const y = place.y + evenly((place.height - height) / 2)
    return { from: all, to: { x, y, width, height } }
  }
  const factor = Math.max(across, down)
  const width = place.width / factor
  const height = place.height / factor
  return {
    from: { x: (video.width - width) / 2, y: (video.height - height) / 2, width, height },
    to: place,
  }
}

/** Within the place, on even pixels. */
export function evenPlace({ x, y, width, height }: Rectangle): Rectangle {
  const left = x + (x % 2)
  const top = y + (y % 2)
  return { x: left, y: top, width: evenly(x + width - left), height: evenly(y + height - top) }
}

function evenly(length: number): number {
  return Math.max(0, 2 * Math.floor(length / 2))
}
