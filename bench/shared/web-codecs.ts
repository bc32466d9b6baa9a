/**
 * Capture inside the browser without a second encoding: the cameras' frames are put side by side into one picture in
 * the page and encoded there by WebCodecs (H.264, which Chromium makes with OpenH264). The page itself is not painted.
 * Picture only: the cost of sound comes on top.
 */
import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { promisify } from 'node:util'
import type { MockServer } from '../../mock/types.ts'
import type { Contender } from './measured.ts'
import { LOOKS } from './meeting.ts'
import { visit } from './visitor.ts'

const run = promisify(execFile)
const FRAMES_PER_SECOND = 25
/** Silence without a picture would never end. */
const MUX_MS = 60_000

/**
 * `canvas`: all people in one picture. `planes`: the same without a canvas, each camera's frames copied as they are
 * into their quarter of one buffer: the least cost of a gallery. `track`: one camera alone, enlarged by the encoder:
 * the least cost of a speaker view.
 */
export type Way = 'canvas' | 'planes' | 'track'

export function webCodecs(way: Way, server: MockServer, folder: string): Contender {
  return {
    name: `WebCodecs, ${way}`,
    note: 'H.264 at 1280×720 made in the page, picture only',
    framesPerSecond: FRAMES_PER_SECOND,
    hasCameras: true,
    async start({ meeting }) {
      const visitor = await visit(server, meeting, { width: 1280, height: 720 })
      const raw = join(visitor.folder, 'raw.h264')
      const file = createWriteStream(raw)
      await visitor.page.exposeFunction('keepPiece', (piece: string) => void file.write(Buffer.from(piece, 'base64')))
      await visitor.page.evaluate(startEncoder, { way, cameras: LOOKS.length, framesPerSecond: FRAMES_PER_SECOND })
      let missed = 0
      return {
        roots: visitor.roots,
        repeatedShare: () => missed,
        async finish() {
          missed = await visitor.page.evaluate(stopEncoder)
          await finished(file.end())
          const final = join(folder, `web-codecs-${way}.mp4`)
          const rate = String(FRAMES_PER_SECOND)
          const silence = ['-f', 'lavfi', '-i', 'anullsrc', '-shortest']
          await run('ffmpeg', ['-loglevel', 'error', '-y', '-r', rate, '-i', raw, ...silence, '-c:v', 'copy', final], {
            timeout: MUX_MS,
          })
          return final
        },
        dispose: visitor.close,
      }
    },
  }
}

interface EncodingPage {
  keepPiece(piece: string): Promise<void>
  /** Resolves with the share (0 to 1) of the frames that were not made. */
  stopEncoder(): Promise<number>
}

interface Settings {
  way: Way
  cameras: number
  framesPerSecond: number
}

declare class MediaStreamTrackProcessor {
  constructor(init: { track: MediaStreamTrack })
  readonly readable: ReadableStream<VideoFrame>
}

/** Runs in the page. */
async function startEncoder({ way, cameras, framesPerSecond }: Settings): Promise<void> {
  const page = globalThis as unknown as EncodingPage
  const size = { width: 1280, height: 720 }
  const style = document.createElement('style')
  style.textContent = 'body * { visibility: hidden !important }'
  document.head.append(style)
  let kept = Promise.resolve()
  const encoder = new VideoEncoder({
    output: (chunk) => {
      const bytes = new Uint8Array(chunk.byteLength)
      chunk.copyTo(bytes)
      let text = ''
      for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
      kept = kept.then(() => page.keepPiece(btoa(text)))
    },
    error: (error) => console.error(error),
  })
  encoder.configure({
    codec: 'avc1.42E01F',
    ...size,
    framerate: framesPerSecond,
    bitrate: 1_500_000,
    latencyMode: 'realtime',
    avc: { format: 'annexb' },
  })
  const tracksNow = () =>
    [...document.querySelectorAll('video')].flatMap(({ srcObject }) =>
      srcObject instanceof MediaStream ? srcObject.getVideoTracks() : [],
    )
  while (tracksNow().length < cameras) await new Promise((resolve) => setTimeout(resolve, 100))
  const newest = new Map<MediaStreamTrack, VideoFrame>()
  const read = async (track: MediaStreamTrack) => {
    const reader = new MediaStreamTrackProcessor({ track }).readable.getReader()
    for (;;) {
      const { value } = await reader.read()
      if (!value) return
      newest.get(track)?.close()
      newest.set(track, value)
    }
  }
  const shown = tracksNow().slice(0, way === 'track' ? 1 : cameras)
  for (const track of shown) void read(track)
  const canvas = new OffscreenCanvas(size.width, size.height)
  const picture = canvas.getContext('2d', { alpha: false, desynchronized: true })!
  /** I420: a plane of the brightness, and two of the colors, half as wide and high; room for whole lines from any place. */
  const planes = new Uint8Array((size.width * size.height * 3) / 2 + size.width)
  const startedAt = performance.now()
  let ticks = 0
  let made = 0
  const encode = (frame: VideoFrame) => {
    encoder.encode(frame, { keyFrame: made++ % (framesPerSecond * 4) === 0 })
    frame.close()
  }
  const timer = setInterval(() => {
    const timestamp = Math.round((ticks++ * 1e6) / framesPerSecond)
    if (way === 'track') {
      const [frame] = newest.values()
      if (frame) encode(new VideoFrame(frame, { timestamp }))
      return
    }
    if (way === 'planes') {
      const { width: codedWidth, height: codedHeight } = size
      void copied().then(() => encode(new VideoFrame(planes, { format: 'I420', codedWidth, codedHeight, timestamp })))
      return
    }
    const columns = Math.ceil(Math.sqrt(newest.size))
    const rows = Math.ceil(newest.size / columns)
    let index = 0
    for (const frame of newest.values()) {
      const [width, height] = [size.width / columns, size.height / rows]
      picture.drawImage(frame, (index % columns) * width, Math.floor(index / columns) * height, width, height)
      index++
    }
    encode(new VideoFrame(canvas, { timestamp }))
  }, 1000 / framesPerSecond)
  /** Copies each new frame into its quarter. */
  async function copied(): Promise<void> {
    const fresh = [...newest].filter(([, frame]) => frame.format === 'I420')
    await Promise.all(
      fresh.map(([track, frame]) => {
        newest.delete(track)
        const index = shown.indexOf(track)
        const [x, y] = [(index % 2) * 640, Math.floor(index / 2) * 360]
        const colors = size.width * size.height
        const at = (y / 2) * (size.width / 2) + x / 2
        const rect = { x: 0, y: 0, width: Math.min(640, frame.codedWidth), height: Math.min(360, frame.codedHeight) }
        const layout = [
          { offset: y * size.width + x, stride: size.width },
          { offset: colors + at, stride: size.width / 2 },
          { offset: colors * 1.25 + at, stride: size.width / 2 },
        ]
        return frame.copyTo(planes, { rect, layout }).finally(() => frame.close())
      }),
    )
  }
  page.stopEncoder = async () => {
    clearInterval(timer)
    const wanted = ((performance.now() - startedAt) / 1000) * framesPerSecond
    await encoder.flush()
    await kept
    return Math.max(0, 1 - made / wanted)
  }
}

/** Runs in the page. */
function stopEncoder(): Promise<number> {
  return (globalThis as unknown as EncodingPage).stopEncoder()
}
