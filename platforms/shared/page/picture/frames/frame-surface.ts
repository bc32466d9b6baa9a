/** Paints the composite into a file that the recorder reads, by a worker; the display does not show it. */
import { FIRST_FRAME_MS, type TileContent, type TileView } from '../composite-tile.ts'
import { initialsOf, labelOf } from '../initials.ts'
import type { Place } from '../layout.ts'
import type { Surface } from '../surface.ts'
import { followTrack } from '../tile-track.ts'
import type { FromPainter, Scene, SceneTile, ToPainter } from './scene.ts'

export interface Frames {
  surface: Surface
  /** The bytes (hex) with which the file begins until the first picture. */
  mark: string
  /** The painted picture, as a PNG in base64. */
  png(): Promise<string>
  /** Why the painter stopped; null while it paints. */
  readonly fault: string | null
}

const OPEN_MS = 10_000
/** A track without a frame for so long may be a still picture, as a shared page is. */
const STILL_MS = 500
/** Frames of an invisible tile are still received for so long: it may come into view because of its first frames. */
const LINGER_MS = 1000

/** Missing in TypeScript's library: the browser's reader of a track, which works in windows too. */
declare const MediaStreamTrackProcessor: new (options: {
  track: MediaStreamTrack
  /** Frames. */
  maxBufferSize: number
}) => { readable: ReadableStream<VideoFrame> }

export interface PainterWorker {
  /** Possible addresses of the worker, best first. */
  addresses: readonly string[]
  /** For a page that allows only workers that it made itself. */
  source: string
  /** Makes an address one that the page accepts. */
  trusted(address: string): string
}

/** Rejects if the browser or the page provides no storage for it. */
export async function openFrames(
  painter: PainterWorker,
  size: { width: number; height: number },
  emptyText: string,
): Promise<Frames> {
  if (typeof MediaStreamTrackProcessor !== 'function') throw new Error('Tracks cannot be read')
  const made = URL.createObjectURL(new Blob([painter.source], { type: 'text/javascript' }))
  try {
    let problem: unknown
    for (const address of [...painter.addresses, made]) {
      try {
        return await startPainter(painter.trusted(address), size, emptyText)
      } catch (error) {
        problem ??= error
      }
    }
    throw problem
  } finally {
    URL.revokeObjectURL(made)
  }
}

async function startPainter(
  address: string,
  size: { width: number; height: number },
  emptyText: string,
): Promise<Frames> {
  const worker = new Worker(address)
  const send = (message: ToPainter, transfer: Transferable[] = []) => worker.postMessage(message, transfer)
  try {
    const mark = await opened(worker, () => send({ type: 'open', ...size }))
    return framesOf(worker, send, { ...size, mark, emptyText })
  } catch (error) {
    worker.terminate()
    throw error
  }
}

function opened(worker: Worker, open: () => void): Promise<string> {
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error('The frame painter did not start in time')), OPEN_MS)
    worker.addEventListener('error', ({ message }) => reject(new Error(message)))
    worker.addEventListener('message', ({ data }: MessageEvent<FromPainter>) => {
      if (data.type === 'opened') resolve(data.mark)
      if (data.type === 'refused') reject(new Error(data.reason))
    })
    open()
  })
}

function framesOf(
  worker: Worker,
  send: (message: ToPainter, transfer?: Transferable[]) => void,
  { width, height, mark, emptyText }: { width: number; height: number; mark: string; emptyText: string },
): Frames {
  /** In the order in which they came. */
  const tiles = new Map<number, FrameTile>()
  const calls = new Map<number, (message: FromPainter) => void>()
  let tileCount = 0
  let callCount = 0
  let isTelling = false
  /** Until then the file keeps its mark. */
  let isShown = false
  let reported = ''
  let fault: string | null = null
  const scene: { -readonly [Key in keyof Scene]: Scene[Key] } = {
    ...{ area: { x: 0, y: 0, width, height }, tiles: [], rest: null, emptyText },
  }

  worker.addEventListener('message', ({ data }: MessageEvent<FromPainter>) => {
    if (data.type === 'frame') tiles.get(data.tile)?.arrived(data)
    if (data.type === 'failed') console.warn('The frame painter failed', data.reason)
    if (data.type === 'broke') fault = data.reason
    if (data.type !== 'synced' && data.type !== 'png') return
    calls.get(data.number)?.(data)
    calls.delete(data.number)
  })

  worker.addEventListener('error', ({ message }) => {
    fault = message
  })

  function call(type: 'sync' | 'png', answer: (message: FromPainter) => void): void {
    if (type === 'sync') isShown = true
    callCount++
    calls.set(callCount, answer)
    sendScene()
    send({ type, number: callCount })
  }

  function sendScene(): void {
    if (!isTelling || !isShown) return
    isTelling = false
    const inOrder = [...tiles.values()].sort((one, other) => one.level - other.level)
    const whole: Scene = { ...scene, tiles: inOrder.flatMap((tile) => tile.shown() ?? []) }
    const key = JSON.stringify(whole)
    if (key === reported) return
    reported = key
    send({ type: 'scene', scene: whole })
  }

  /** Combines the changes of one task. */
  function changeScene(): void {
    if (isTelling) return
    isTelling = true
    queueMicrotask(sendScene)
  }

  const surface: Surface = {
    createTile(color, changed) {
      const tile = ++tileCount
      const view = createFrameTile({ tile, color, send, changeScene, changed, forgotten: () => tiles.delete(tile) })
      tiles.set(tile, view)
      return view
    },
    size: () => ({ width, height }),
    setArea(area) {
      scene.area = area
      changeScene()
    },
    showRest(place, hiddenCount) {
      scene.rest = place === null ? null : { place, text: `+${hiddenCount}` }
      changeScene()
    },
    showEmpty(isEmpty) {
      scene.emptyText = isEmpty ? emptyText : null
      changeScene()
    },
    nextFrame: (callback) => call('sync', callback),
    // The latest frame is painted in the same pass as its tile.
    framesToAppear: 2,
    reattached() {},
    dispose: () => worker.terminate(),
  }
  return {
    surface,
    mark,
    png: () =>
      new Promise((resolve) =>
        call('png', (message) => resolve(message.type === 'png' ? base64(new Uint8Array(message.image)) : '')),
      ),
    get fault() {
      return fault
    },
  }
}

interface FrameTile extends TileView {
  /** A leaving tile is above the tile that replaces it. */
  readonly level: number
  /** Null if the tile is not painted. */
  shown(): SceneTile | null
  arrived(size: { width: number; height: number }): void
}

interface FrameTileParts {
  tile: number
  color: string
  send(message: ToPainter, transfer?: Transferable[]): void
  changeScene(): void
  changed(): void
  forgotten(): void
}

function createFrameTile({ tile, color, send, changeScene, changed, forgotten }: FrameTileParts): FrameTile {
  let content: TileContent = { name: '', stream: null, isScreen: false }
  let place: Place | null = null
  let isSpeaking = false
  let isLeaving = false
  let isFollowed = false
  /** Whether this track ever had a frame, and one since it is followed. */
  let hasFrame = false
  let hasArrived = false
  let waitingSince = 0
  let aspect: number | null = null
  let still: ReturnType<typeof setTimeout> | undefined
  let linger: ReturnType<typeof setTimeout> | undefined

  const followed = followTrack({
    taken() {
      unfollow()
      hasFrame = false
      waitingSince = performance.now()
      followWhereWanted()
      reportChange()
    },
    changed() {
      waitingSince = performance.now()
      reportChange()
    },
  })

  function reportChange(): void {
    changeScene()
    changed()
  }

  /** An invisible tile needs no frames, once it is known to have some. */
  function followWhereWanted(): void {
    const track = followed.track()
    const isWanted = track !== null && (place !== null || !hasFrame)
    if (isWanted === isFollowed) return
    if (track === null || !isWanted) {
      unfollow()
      return
    }
    isFollowed = true
    hasArrived = false
    const frames = new MediaStreamTrackProcessor({ track, maxBufferSize: 1 }).readable
    send({ type: 'follow', tile, frames }, [frames])
    still = setTimeout(() => takeStill(track), STILL_MS)
  }

  function unfollow(): void {
    clearTimeout(still)
    clearTimeout(linger)
    if (isFollowed) send({ type: 'unfollow', tile })
    isFollowed = false
  }

  /** The page has been showing the picture for longer than we have been reading it. */
  function takeStill(track: MediaStreamTrack): void {
    if (hasArrived || track !== followed.track()) return
    for (const video of document.querySelectorAll('video')) {
      const isOfTrack =
        video.srcObject instanceof MediaStream && video.srcObject.getVideoTracks().some((own) => own === track)
      if (!isOfTrack || video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) continue
      const frame = new VideoFrame(video, { timestamp: 0 })
      send({ type: 'still', tile, frame }, [frame])
      return
    }
  }

  const hasPicture = () => hasFrame && followed.isOn()

  return {
    get level() {
      return isLeaving ? 1 : 0
    },
    shown() {
      if (place === null || place.isStandby) return null
      const { picture, caption, fontSize } = place
      const { name, isScreen } = content
      const text = { label: labelOf(name), initials: initialsOf(name), color }
      return { tile, ...text, picture, caption, fontSize, isScreen, isSpeaking, hasPicture: hasPicture() }
    },
    arrived({ width, height }) {
      aspect = width / height
      hasFrame = true
      hasArrived = true
      clearTimeout(linger)
      linger = setTimeout(followWhereWanted, LINGER_MS)
      reportChange()
    },
    update(next) {
      content = next
      followed.follow(next.stream)
      changeScene()
    },
    mark(speaks) {
      if (speaks === isSpeaking) return
      isSpeaking = speaks
      changeScene()
    },
    place(next) {
      place = next
      followWhereWanted()
      changeScene()
    },
    isInView: () => place !== null,
    keepAbove(leaves) {
      isLeaving = leaves
      changeScene()
    },
    isSettled: () => !followed.isOn() || hasFrame || performance.now() - waitingSince > FIRST_FRAME_MS,
    aspect: () => aspect,
    hasCamera: followed.isOn,
    hasPicture,
    setRate(framesPerSecond) {
      // The same for all tiles of a surface.
      send({ type: 'rest', ms: framesPerSecond === null ? 0 : 1000 / framesPerSecond })
    },
    dispose() {
      followed.follow(null)
      unfollow()
      forgotten()
      send({ type: 'forget', tile })
      changeScene()
    },
  }
}

function base64(bytes: Uint8Array): string {
  const PIECE = 0x8000
  let text = ''
  for (let at = 0; at < bytes.length; at += PIECE) text += String.fromCharCode(...bytes.subarray(at, at + PIECE))
  return btoa(text)
}
