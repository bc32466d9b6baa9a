/** The newest frame of one video, upright, as planes of Y, U and V in the pixel module's memory. */
import type { Pixels } from './pixels.ts'

export interface Plane {
  address: number
  /** Pixels; also the distance between rows. */
  width: number
  height: number
}

/** Planes one after the other. */
interface Planes {
  planes: Plane[]
  bytes: number
}

/** A piece of the module's memory. */
interface Room {
  address: number
  bytes: number
}

const NO_ROOM: Room = { address: 0, bytes: 0 }

/** How many pixels of Y, across and down, share one of color. */
const SHARED_COLOR: Readonly<Record<string, readonly [number, number]>> = { I420: [2, 2], I422: [2, 1], I444: [1, 1] }
/** The default of WebRTC decoders, and the matrix that the recording declares. */
const USUAL_MATRICES: readonly (string | null)[] = [null, 'smpte170m', 'bt470bg']
/** No meeting sends more; such a frame would only use memory. */
const MAX_PIXELS = 8192 * 8192

/** Newer than TypeScript's library. */
type Turned = VideoFrame & { rotation?: number }

export class Source {
  readonly #pixels: Pixels
  #raw: Room = NO_ROOM
  /** The next frame comes here, beside the one that it is compared with. */
  #spare: Room = NO_ROOM
  #upright: Room = NO_ROOM
  /** Size and turn of the newest frame. */
  #shape = ''
  planes: readonly Plane[] = []

  constructor(pixels: Pixels) {
    this.#pixels = pixels
  }

  /** Pixels; 0 before the first frame. */
  get width(): number {
    return this.planes[0]?.width ?? 0
  }

  get height(): number {
    return this.planes[0]?.height ?? 0
  }

  /**
   * Resolves with whether the frame differs from the one before: a shared screen that stands still is sent again and again.
   * Rejects, and keeps its planes, if the browser does not give the frame's pixels. The frame stays open.
   */
  async load(frame: VideoFrame): Promise<boolean> {
    const rectangle = frame.visibleRect
    if (rectangle === null || rectangle.width * rectangle.height > MAX_PIXELS) throw new Error('No usable frame')
    const { planes, bytes } = isUsual(frame) ? await this.#copy(frame) : await this.#convert(frame)
    const quarters = Math.round(((frame as Turned).rotation ?? 0) / 90) & 3
    const shape = JSON.stringify([quarters, planes.map(({ width, height }) => [width, height])])
    if (shape === this.#shape && this.#pixels.equal(this.#raw.address, this.#spare.address, bytes) === 1) return false
    ;[this.#raw, this.#spare] = [this.#spare, this.#raw]
    this.#shape = shape
    this.planes = quarters === 0 ? planes : this.#turn(planes, quarters)
    return true
  }

  release(): void {
    const rooms = [this.#raw, this.#spare, this.#upright]
    for (const { address } of rooms) if (address !== 0) this.#pixels.release(address)
    this.planes = []
  }

  async #copy(frame: VideoFrame): Promise<Planes> {
    const { width, height } = frame.visibleRect!
    const [across, down] = SHARED_COLOR[frame.format!]!
    const color = { width: Math.ceil(width / across), height: Math.ceil(height / down) }
    const { planes, bytes } = planesIn([{ width, height }, color, color])
    this.#spare = this.#roomFor(this.#spare, bytes)
    const { address } = this.#spare
    const layout = planes.map((plane) => ({ offset: plane.address, stride: plane.width }))
    await frame.copyTo(new Uint8Array(this.#pixels.memory.buffer, address, bytes), { layout })
    return { planes: planes.map((plane) => ({ ...plane, address: address + plane.address })), bytes }
  }

  /** Converts other colors, such as those of a canvas or of BT.709, by way of RGB. */
  async #convert(frame: VideoFrame): Promise<Planes> {
    const { x, y, width: exactWidth, height: exactHeight } = frame.visibleRect!
    const [width, height] = [exactWidth & ~1, exactHeight & ~1]
    const color = { width: width / 2, height: height / 2 }
    const { planes, bytes } = planesIn([{ width, height }, color, color])
    const rgbaBytes = width * height * 4
    this.#spare = this.#roomFor(this.#spare, bytes + rgbaBytes)
    const { address } = this.#spare
    const rgba = address + bytes
    const options = { format: 'RGBA' as const, colorSpace: 'srgb' as const, rect: { x, y, width, height } }
    const layout = [{ offset: 0, stride: width * 4 }]
    await frame.copyTo(new Uint8Array(this.#pixels.memory.buffer, rgba, rgbaBytes), { ...options, layout })
    const [luma, u, v] = planes.map((plane) => address + plane.address) as [number, number, number]
    this.#pixels.fromRgba(rgba, width, height, luma, u, v, width, 0, 0)
    return { planes: planes.map((plane) => ({ ...plane, address: address + plane.address })), bytes }
  }

  #turn(planes: readonly Plane[], quarters: number): Plane[] {
    const isOnItsSide = quarters % 2 === 1
    const { planes: turned, bytes } = planesIn(
      planes.map(({ width, height }) => (isOnItsSide ? { width: height, height: width } : { width, height })),
    )
    this.#upright = this.#roomFor(this.#upright, bytes)
    return turned.map((plane, index) => {
      const from = planes[index]!
      const address = this.#upright.address + plane.address
      this.#pixels.turn(from.address, from.width, from.height, quarters, address)
      return { ...plane, address }
    })
  }

  #roomFor(room: Room, bytes: number): Room {
    if (room.bytes >= bytes) return room
    if (room.address !== 0) this.#pixels.release(room.address)
    return { address: this.#pixels.allocate(bytes), bytes }
  }
}

function isUsual({ format, colorSpace, visibleRect }: VideoFrame): boolean {
  if (format === null || SHARED_COLOR[format] === undefined) return false
  // A copy begins at a whole pixel of color.
  if (visibleRect!.x % 2 !== 0 || visibleRect!.y % 2 !== 0) return false
  return USUAL_MATRICES.includes(colorSpace.matrix) && colorSpace.fullRange !== true
}

/** Planes one after the other; addresses are relative to the first one. */
function planesIn(sizes: readonly { width: number; height: number }[]): Planes {
  let bytes = 0
  const planes = sizes.map(({ width, height }) => {
    const address = bytes
    bytes += width * height
    return { address, width, height }
  })
  return { planes, bytes }
}
