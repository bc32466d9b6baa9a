/**
 * Paints a scene and the videos in it into a file of the browser's storage: one picture, Y, U and V, always the newest.
 * The recorder reads it there as often as it likes, so that no picture is converted to the screen's colors and back.
 */
import type { Rectangle } from '../layout.ts'
import { type Fit, fitInto } from './fit.ts'
import { type FrameFile, openFrameFile } from './frame-file.ts'
import { Ground } from './ground.ts'
import { GROUND_ROWS, Picture } from './picture.ts'
import { loadPixels, type Pixels } from './pixels.ts'
import { meet, moved, movedScene, placeOf } from './places.ts'
import type { FromPainter, Scene, SceneTile, ToPainter } from './scene.ts'
import { Video } from './video.ts'

/**
 * Frames that come within this of each other are painted in one pass. Later the picture would be behind its sound.
 * Milliseconds.
 */
const PASS_MS = 4
const MARK_BYTES = 16
/** A painter that cannot paint tries again, and gives up when nothing helped for so long. Milliseconds. */
const REPAINT_MS = 500
const GIVE_UP_MS = 5000

interface Shown {
  tile: SceneTile
  /** Null if initials are. */
  video: Fit | null
}

export class FramePainter {
  readonly #send: (message: FromPainter, transfer: Transferable[]) => void
  #pixels: Pixels | null = null
  #picture: Picture | null = null
  #ground: Ground | null = null
  #file: FrameFile | null = null
  readonly #videos = new Map<number, Video>()
  #scene: Scene | null = null
  #shown: readonly Shown[] = []
  /** Content of the ground; each tile apart. */
  #groundKey = ''
  readonly #tileKeys = new Map<number, string>()
  #restMs = 0
  readonly #syncs: number[] = []
  #passAt = 0
  #complaint = ''
  /** Since when every pass failed; null while they do not. */
  #failingSince: number | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  /** One after the other: a message must not change the state during a pass. */
  #turn: Promise<void> = Promise.resolve()

  constructor(send: (message: FromPainter, transfer: Transferable[]) => void) {
    this.#send = send
  }

  onMessage(message: ToPainter): void {
    this.#inTurn(() => this.#handle(message))
  }

  async #handle(message: ToPainter): Promise<void> {
    switch (message.type) {
      case 'open':
        return this.#open(message.width, message.height)
      case 'scene':
        this.#scene = message.scene
        return this.#paintSoon()
      case 'follow':
        return this.#videoOf(message.tile).follow(message.frames, (frame) => this.#arrive(message.tile, frame))
      case 'still':
        return this.#arrive(message.tile, message.frame)
      case 'unfollow':
        return this.#videos.get(message.tile)?.unfollow()
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
      this.#file = await openFrameFile()
      const mark = crypto.getRandomValues(new Uint8Array(MARK_BYTES))
      this.#file.truncate(this.#picture.bytes)
      this.#file.write(mark, { at: 0 })
      this.#send({ type: 'opened', mark: hex(mark) }, [])
    } catch (error) {
      this.#send({ type: 'refused', reason: String(error) }, [])
    }
  }

  #arrive(tile: number, frame: VideoFrame): void {
    const video = this.#videoOf(tile)
    const size = video.arrive(frame)
    if (size !== null) this.#send({ type: 'frame', tile, ...size }, [])
    if (this.#shown.some((shown) => shown.tile.tile === tile)) video.whenRested(this.#restMs, () => this.#paintSoon())
  }

  #forget(tile: number): void {
    this.#videos.get(tile)?.release()
    this.#videos.delete(tile)
    this.#tileKeys.delete(tile)
  }

  #videoOf(tile: number): Video {
    let video = this.#videos.get(tile)
    if (video === undefined) {
      video = new Video(this.#pixels!)
      this.#videos.set(tile, video)
    }
    return video
  }

  /** At once if no pass was lately; otherwise together with the changes until then. */
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
    for (const number of syncs) this.#send({ type: 'synced', number }, [])
  }

  /** Copies the newest frames of the visible tiles; returns the tiles whose picture changed. */
  async #takeFrames(tiles: readonly SceneTile[]): Promise<Set<number>> {
    const fresh = new Set<number>()
    for (const { tile } of tiles) {
      try {
        if (await this.#videos.get(tile)?.takeNewest(this.#passAt, this.#restMs)) fresh.add(tile)
      } catch (error) {
        this.#complain(error)
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
    // A leaving tile covers the tile that replaces it: then all of it is painted, in its order.
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
      if (video !== null) {
        const known = this.#videos.get(tile.tile)!
        picture.layVideo(known.source, known.scaling(video), video.to)
      }
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
    else this.#send({ type: 'broke', reason: String(error) }, [])
  }

  /** Paints the changed parts; returns the tiles whose ground is new. */
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

  /** In strips, each of which is freed at once: 25 MB of them would wait for their collection. */
  #readGround(place: Rectangle): void {
    for (let done = 0; done < place.height; done += GROUND_ROWS) {
      const strip = { ...place, y: place.y + done, height: Math.min(GROUND_ROWS, place.height - done) }
      const image = this.#ground!.read(strip)
      this.#picture!.takeGround(image, strip)
      free(image)
    }
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
    this.#send({ type: 'png', number, image }, [image])
  }

  #complain(error: unknown): void {
    const reason = String(error)
    if (reason !== this.#complaint) this.#send({ type: 'failed', reason }, [])
    this.#complaint = reason
  }

  #inTurn(work: () => Promise<void> | void): void {
    this.#turn = this.#turn.then(work).catch((error) => this.#complain(error))
  }
}

/** Only a message takes the memory from an image; it is gone with the ports. */
function free({ data }: ImageData): void {
  const { port1, port2 } = new MessageChannel()
  port1.postMessage(null, [data.buffer])
  port1.close()
  port2.close()
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
