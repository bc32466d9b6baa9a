/** Runs at document start of the test pages: a composite, and people whose cameras are drawn. */

import { type CompositeTile, createComposite } from '../../../../../platforms/shared/page/picture/composite.ts'
import type { CompositeMode } from '../../../../../platforms/shared/page/picture/composition.ts'
import type { Rgb } from '../../kiosk.ts'

declare global {
  /** Not in the library of types: a track that a script writes. */
  const MediaStreamTrackGenerator: new (init: {
    kind: 'video'
  }) => MediaStreamTrack & { writable: WritableStream<VideoFrame> }
}

interface Drawn {
  color: Rgb
  width?: number
  height?: number
  /** Pictures per second; 0 draws once. */
  framesPerSecond?: number
  /** Every other picture is dark blue. */
  blinks?: boolean
}

/** Without a color, the camera is off; without a name, the id is the name. */
export type FakeTile = Partial<CompositeTile & Drawn> & { id: string }

function draw({ color, width = 640, height = 360, framesPerSecond = 15, blinks = false }: Drawn): MediaStream {
  const canvas = Object.assign(document.createElement('canvas'), { width, height })
  const pen = canvas.getContext('2d', { alpha: false })!
  let count = 0
  const next = () => {
    count++
    pen.fillStyle = blinks && count % 2 ? '#000078' : `rgb(${color})`
    pen.fillRect(0, 0, width, height)
    // A corner that changes, so that every picture is a new one.
    pen.fillStyle = count % 2 ? '#ffffff' : '#dddddd'
    pen.fillRect(0, 0, 4, 4)
  }
  next()
  if (framesPerSecond > 0) setInterval(next, 1000 / framesPerSecond)
  return canvas.captureStream(framesPerSecond || 5)
}

/** The page's address names the painter that the page allows. */
const composite = createComposite({ painter: new URLSearchParams(location.search).get('painter') ?? undefined })
/** A tile keeps its stream from call to call. */
const streams: Record<string, MediaStream> = {}

const harness = {
  composite,
  streams,
  draw,
  update(tiles: FakeTile[]): void {
    composite.update(
      tiles.map(({ id, name = id, isScreen = false, isSpeaking = false, color, stream = null, ...drawn }) => {
        if (color) streams[id] ??= draw({ color, ...drawn })
        return { id, name, isScreen, isSpeaking, stream: color ? streams[id]! : stream }
      }),
    )
  },
  async show(mode: CompositeMode, tiles: FakeTile[]): Promise<void> {
    harness.update(tiles)
    composite.show(mode)
    await composite.painted()
  },
}
export type Harness = typeof harness
Object.defineProperty(globalThis, 'harness', { value: harness })
