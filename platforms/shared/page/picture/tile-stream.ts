/** The live picture that a tile shows; null without one. */
export function streamIn(tile: Element): MediaStream | null {
  for (const video of tile.querySelectorAll('video')) {
    const stream = video.srcObject
    const isLive =
      stream instanceof MediaStream && stream.getVideoTracks().some(({ readyState }) => readyState === 'live')
    if (isLive && video.checkVisibility({ visibilityProperty: true })) return stream
  }
  return null
}
