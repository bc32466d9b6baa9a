/**
 * Paints a scene and the videos in it into a file of the browser's storage: one picture, Y, U and V, always the newest.
 * The recorder reads it there as often as it likes, so that no picture is converted to the screen's colors and back.
 */
import type { Rectangle } from '../layout.ts'
import { evenPlace, type Fit, fitInto } from './fit.ts'
import { Ground } from './ground.ts'
import { Picture } from './picture.ts'
import { loadPixels, type Pixels } from './pixels.ts'
import { Scaling } from './scaling.ts'
import type { FromPainter, Scene, SceneTile, ToPainter } from './scene.ts'
import { Source } from './source.ts'

/** Whoever comes within this of each other is painted in one pass. Later the picture would be behind its sound. */
const PASS_MS = 4
const MARK_BYTES = 16
const FILE_NAME = 'frames'
/** A document that was there before may hold the file for a moment. */
const FILE_TRIES = 20
const FILE_RETRY_MS = 100
/** Whoever cannot paint tries again, and gives up when nothing helped for so long. */
const REPAINT_MS = 500
const GIVE_UP_MS = 5000

/** Not in the library of types for windows: files of the browser's storage, for workers. */
interface SyncFile {
  write(bytes: Uint8Array<ArrayBuffer>, options: { at: number }): number
  truncate(bytes: number): void
}
type FileHandle = FileSystemFileHandle & { createSyncAccessHandle(): Promise<SyncFile> }

interface Video {
  reader: ReadableStreamDefaultReader<VideoFrame> | null
  /** Came and was not painted yet. */
  newest: VideoFrame | null
  source: Source
  scaling: Scaling | null
  /** As told last. */
  shape: string
  paintedAt: number
  /** Runs while it stands still. */
  rest: ReturnType<typeof setTimeout> | undefined
}

interface Shown {
  tile: SceneTile
  /** Null where initials are. */
  video: Fit | null
}

export class FramePainter {
  readonly #tell: (message: FromPainter, transfer: Transferable[]) => void
  #pixels: Pixels | null = null
  #picture: Picture | null = null
  #ground: Ground | null = null
  #file: SyncFile | null = null
  readonly #videos = new Map<number, Video>()
  #scene: Scene | null = null
  #shown: readonly Shown[] = []
  /** What the ground shows; each tile apart. */
  #groundKey = ''
  readonly #tileKeys = new Map<number, string>()
  #restMs = 0
  readonly #syncs: number[] = []
  #passAt = 0
  #complaint = ''
  /** Since when every pass failed; null while they do not. */
  #failingSince: number | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  /** One after the other: what a message changes must not change under a pass. */
  #turn: Promise<void> = Promise.resolve()

  constructor(tell: (message: FromPainter, transfer: Transferable[]) => void) {
    this.#tell = tell
  }

  hear(message: ToPainter): void {
    this.#inTurn(() => this.#take(message))
  }

  async #take(message: ToPainter): Promise<void> {
    switch (message.type) {
      case 'open':
        return this.#open(message.width, message.height)
      case 'scene':
        this.#scene = message.scene
        return this.#paintSoon()
      case 'follow':
        this.#unfollow(message.tile)
        return this.#follow(message.tile, message.frames.getReader())
      case 'still':
        return this.#arrive(message.tile, message.frame)
      case 'unfollow':
        return this.#unfollow(message.tile)
      case 'forget':
        return this.#forget(message.tile)
      case 'rest':
        this.#restMs = message.ms
        return this.#paintSoon()
      case 'sync':
        this.#syncs.push(message.number)
        return this.#paintSoon()
      case 'png':
        return this.#sendPng(message.number)
    }
  }

  async #open(width: number, height: number): Promise<void> {
    try {
      this.#pixels = await loadPixels()
      this.#picture = new Picture(this.#pixels, width, height)
      this.#ground = new Ground(width, height)
      this.#file = await openFile()
      const mark = crypto.getRandomValues(new Uint8Array(MARK_BYTES))
      this.#file.truncate(this.#picture.bytes)
      this.#file.write(mark, { at: 0 })
      this.#tell({ type: 'opened', mark: hex(mark) }, [])
    } catch (error) {
      this.#tell({ type: 'refused', reason: String(error) }, [])
    }
  }

  #follow(tile: number, reader: ReadableStreamDefaultReader<VideoFrame>): void {
    this.#videoOf(tile).reader = reader
    const read = async () => {
      for (;;) {
        const { value } = await reader.read()
        if (value === undefined) return
        if (this.#videos.get(tile)?.reader === reader) this.#arrive(tile, value)
        else value.close()
      }
    }
    // A stream that is given up rejects; there is nothing to read then.
    read().catch(() => {})
  }

  #arrive(tile: number, frame: VideoFrame): void {
    const video = this.#videoOf(tile)
    video.newest?.close()
    video.newest = frame
    const shape = shapeOf(frame)
    const key = `${shape.width}x${shape.height}`
    if (video.shape !== key) {
      video.shape = key
      this.#tell({ type: 'frame', tile, ...shape }, [])
    }
    if (this.#shown.some((shown) => shown.tile.tile === tile)) this.#paintInTime(video)
  }

  #paintInTime(video: Video): void {
    const restsMs = this.#restsMs(video)
    if (restsMs <= 0) this.#paintSoon()
    else
      video.rest ??= setTimeout(() => {
        video.rest = undefined
        this.#paintSoon()
      }, restsMs)
  }

  #restsMs({ paintedAt }: Video): number {
    return this.#restMs === 0 ? 0 : paintedAt + this.#restMs - performance.now()
  }

  #unfollow(tile: number): void {
    const video = this.#videos.get(tile)
    if (video === undefined) return
    video.reader?.cancel().catch(() => {})
    video.reader = null
    video.newest?.close()
    video.newest = null
    video.shape = ''
  }

  #forget(tile: number): void {
    this.#unfollow(tile)
    const video = this.#videos.get(tile)
    clearTimeout(video?.rest)
    video?.source.release()
    video?.scaling?.release()
    this.#videos.delete(tile)
    this.#tileKeys.delete(tile)
  }

  #videoOf(tile: number): Video {
    let video = this.#videos.get(tile)
    if (video === undefined) {
      const source = new Source(this.#pixels!)
      video = { reader: null, newest: null, source, scaling: null, shape: '', paintedAt: 0, rest: undefined }
      this.#videos.set(tile, video)
    }
    return video
  }

  /** At once where nothing was painted lately; otherwise together with what comes until then. */
  #paintSoon(): void {
    if (this.#timer !== undefined) return
    const waitMs = Math.max(0, this.#passAt + PASS_MS - performance.now())
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#inTurn(() => this.#pass())
    }, waitMs)
  }

  async #pass(): Promise<void> {
    this.#passAt = performance.now()
    const scene = this.#scene
    const syncs = this.#syncs.splice(0)
    if (scene !== null) {
      const tiles = scene.tiles.map((tile) => moved(tile, scene.area))
      const fresh = await this.#takeFrames(tiles)
      this.#shown = tiles.map((tile) => ({ tile, video: this.#fitOf(tile) }))
      try {
        this.#paint(scene, fresh)
        this.#failingSince = null
      } catch (error) {
        this.#paintAllAgain(error)
      }
    }
    for (const number of syncs) this.#tell({ type: 'synced', number }, [])
  }

  /** Copies the newest frames of those that are seen; returns whose picture is another one now. */
  async #takeFrames(tiles: readonly SceneTile[]): Promise<Set<number>> {
    const fresh = new Set<number>()
    for (const { tile } of tiles) {
      const video = this.#videos.get(tile)
      if (!video?.newest || this.#restsMs(video) > 0) continue
      const frame = video.newest
      video.newest = null
      video.paintedAt = this.#passAt
      try {
        await video.source.take(frame)
        fresh.add(tile)
      } catch (error) {
        this.#complain(error)
      } finally {
        frame.close()
      }
    }
    return fresh
  }

  #fitOf({ tile, hasPicture, picture, isScreen }: SceneTile): Fit | null {
    const source = this.#videos.get(tile)?.source
    if (!hasPicture || !source || source.width === 0 || picture.width === 0 || picture.height === 0) return null
    const { width, height } = source
    return fitInto({ width, height }, picture, isScreen || height > width)
  }

  #paint(scene: Scene, fresh: ReadonlySet<number>): void {
    const picture = this.#picture!
    const changed = this.#paintGround(scene)
    // Who leaves lies over who comes: then all of it is painted, in its order.
    const overlap = this.#shown.some(({ tile }, index) =>
      this.#shown.slice(0, index).some((below) => meet(below.tile.picture, tile.picture)),
    )
    const isAll = changed === 'all' || (overlap && (changed.size > 0 || fresh.size > 0))
    if (changed === 'all') picture.layGround({ x: 0, y: 0, width: picture.width, height: picture.height })
    let [first, last] = changed === 'all' ? [0, picture.height] : [picture.height, 0]
    for (const { tile, video } of this.#shown) {
      const isGroundNew = changed === 'all' || changed.has(tile.tile)
      if (!isAll && !isGroundNew && !(video !== null && fresh.has(tile.tile))) continue
      const place = placeOf(tile)
      if (isGroundNew && changed !== 'all') picture.layGround(place)
      if (video !== null) this.#layVideo(tile.tile, video)
      first = Math.min(first, place.y)
      last = Math.max(last, place.y + place.height)
    }
    if (first >= last) return
    for (const { at, bytes } of picture.rows(first, last)) this.#file!.write(bytes, { at })
  }

  #paintAllAgain(error: unknown): void {
    this.#complain(error)
    this.#groundKey = ''
    this.#failingSince ??= this.#passAt
    if (this.#passAt - this.#failingSince < GIVE_UP_MS) setTimeout(() => this.#paintSoon(), REPAINT_MS)
    else this.#tell({ type: 'broke', reason: String(error) }, [])
  }

  /** Paints what differs from before; returns whose ground is new. */
  #paintGround(scene: Scene): 'all' | Set<number> {
    const { tiles: _, ...rest } = scene
    const places = this.#shown.map(({ tile }) => [tile.tile, tile.picture, tile.caption])
    const key = JSON.stringify([rest, places])
    const ground = this.#ground!
    const isAll = key !== this.#groundKey
    this.#groundKey = key
    if (isAll) ground.paintEmpty(movedScene(scene))
    const changed = new Set<number>()
    for (const { tile, video } of this.#shown) {
      const tileKey = JSON.stringify([tile, video?.to])
      if (!isAll && this.#tileKeys.get(tile.tile) === tileKey) continue
      this.#tileKeys.set(tile.tile, tileKey)
      ground.paintTile(tile, video?.to ?? null)
      changed.add(tile.tile)
      if (!isAll) this.#readGround(placeOf(tile))
    }
    if (isAll) this.#readGround({ x: 0, y: 0, width: this.#picture!.width, height: this.#picture!.height })
    return isAll ? 'all' : changed
  }

  #readGround(place: Rectangle): void {
    this.#picture!.takeGround(this.#ground!.read(place), place)
  }

  #layVideo(tile: number, video: Fit): void {
    const known = this.#videos.get(tile)!
    if (!known.scaling?.suits(known.source, video)) {
      known.scaling?.release()
      known.scaling = new Scaling(this.#pixels!, known.source, video)
    }
    this.#picture!.layVideo(known.source, known.scaling, video.to)
  }

  async #sendPng(number: number): Promise<void> {
    const { width, height } = this.#picture!
    const planes = this.#picture!.rows(0, height)
    const data = new Uint8Array(this.#picture!.bytes)
    for (const { at, bytes } of planes) data.set(bytes, at)
    const colorSpace = { matrix: 'smpte170m', primaries: 'bt709', transfer: 'bt709', fullRange: false } as const
    const init = { format: 'I420', codedWidth: width, codedHeight: height, timestamp: 0, colorSpace } as const
    const frame = new VideoFrame(data, init)
    const canvas = new OffscreenCanvas(width, height)
    canvas.getContext('2d')!.drawImage(frame, 0, 0)
    frame.close()
    const image = await (await canvas.convertToBlob({ type: 'image/png' })).arrayBuffer()
    this.#tell({ type: 'png', number, image }, [image])
  }

  #complain(error: unknown): void {
    const reason = String(error)
    if (reason !== this.#complaint) this.#tell({ type: 'failed', reason }, [])
    this.#complaint = reason
  }

  #inTurn(work: () => Promise<void> | void): void {
    this.#turn = this.#turn.then(work).catch((error) => this.#complain(error))
  }
}

async function openFile(): Promise<SyncFile> {
  const folder = await navigator.storage.getDirectory()
  const handle = (await folder.getFileHandle(FILE_NAME, { create: true })) as FileHandle
  for (let attempt = 1; ; attempt++) {
    try {
      return await handle.createSyncAccessHandle()
    } catch (error) {
      if (attempt >= FILE_TRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, FILE_RETRY_MS))
    }
  }
}

/** As people see it. */
function shapeOf(frame: VideoFrame & { rotation?: number }): { width: number; height: number } {
  const { width, height } = frame.visibleRect ?? { width: frame.codedWidth, height: frame.codedHeight }
  return (frame.rotation ?? 0) % 180 === 0 ? { width, height } : { width: height, height: width }
}

function moved(tile: SceneTile, { x, y }: Rectangle): SceneTile {
  const picture = evenPlace(shifted(tile.picture, x, y))
  const caption = evenPlace(shifted(tile.caption, x, y))
  return { ...tile, picture, caption: { ...caption, y: picture.y + picture.height } }
}

function movedScene(scene: Scene): Scene {
  const { x, y } = scene.area
  return scene.rest === null ? scene : { ...scene, rest: { ...scene.rest, place: shifted(scene.rest.place, x, y) } }
}

function shifted(place: Rectangle, x: number, y: number): Rectangle {
  return { ...place, x: place.x + x, y: place.y + y }
}

/** The picture and the name under it. */
function placeOf({ picture, caption }: SceneTile): Rectangle {
  return { ...picture, height: caption.y + caption.height - picture.y }
}

function meet(one: Rectangle, other: Rectangle): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  )
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
