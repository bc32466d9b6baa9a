/**
 * Pictures as the client paints them: on its WASM path a canvas in the shadow root of a `video-player`, on its WebRTC
 * path a `<video>` inside it (docs/platform-notes/zoom.md#video-rendering).
 */
import { h, mutedVideo } from '../../shared/page/dom.ts'

/** Chromium's reader of a track's frames, which the DOM's types do not have yet. */
interface TrackReader {
  readonly readable: ReadableStream<VideoFrame>
}
declare const MediaStreamTrackProcessor: new (given: { track: MediaStreamTrack }) => TrackReader

export interface Player {
  readonly root: HTMLElement
  /** Null takes the picture away. Repeatable with the same track. */
  show(track: MediaStreamTrack | null): void
}

export function videoPlayer(node: number, path: 'canvas' | 'video'): Player {
  const root = document.createElement('video-player')
  root.setAttribute('node-id', String(node))
  if (path === 'video') return elementPlayer(root)
  const canvas = h('canvas', { width: 640, height: 360, style: 'width:100%;height:100%;object-fit:contain' })
  root.attachShadow({ mode: 'open' }).append(canvas)
  return { root, show: painter(canvas) }
}

/** A canvas of the page itself, as shared screens have. */
export function canvasPlayer(cls: string): Player {
  const canvas = h('canvas', { class: cls, width: 1280, height: 720 })
  return { root: canvas, show: painter(canvas) }
}

function elementPlayer(root: HTMLElement): Player {
  const video = mutedVideo({ autoplay: true })
  return {
    root,
    show(track) {
      const stream = video.srcObject as MediaStream | null
      if (stream?.getVideoTracks()[0] === (track ?? undefined)) return
      video.srcObject = track ? new MediaStream([track]) : null
      if (!track) video.remove()
      else if (!video.isConnected) root.append(video)
      if (track) video.play().catch(() => {}) // Taken away before it began to play.
    },
  }
}

/** Paints each frame of a track as it comes. */
function painter(canvas: HTMLCanvasElement): (track: MediaStreamTrack | null) => void {
  const pen = canvas.getContext('2d')
  let shown: MediaStreamTrack | null = null
  let copy: MediaStreamTrack | null = null
  let reader: ReadableStreamDefaultReader<VideoFrame> | null = null
  return (track) => {
    if (track === shown) return
    shown = track
    void reader?.cancel().catch(() => {}) // A track that has ended has nothing left to cancel.
    copy?.stop()
    copy = reader = null
    if (!track) {
      pen?.clearRect(0, 0, canvas.width, canvas.height)
      return
    }
    // A copy, so that the end of one tile does not end another with the same picture.
    copy = track.clone()
    const frames = new MediaStreamTrackProcessor({ track: copy }).readable.getReader()
    reader = frames
    void paint(frames)
  }

  async function paint(frames: ReadableStreamDefaultReader<VideoFrame>): Promise<void> {
    for (;;) {
      const { value: frame, done } = await frames.read().catch(() => ({ value: undefined, done: true }))
      if (done || !frame) return
      if (frames === reader) {
        if (canvas.width !== frame.displayWidth) canvas.width = frame.displayWidth
        if (canvas.height !== frame.displayHeight) canvas.height = frame.displayHeight
        pen?.drawImage(frame, 0, 0)
      }
      frame.close()
    }
  }
}
