/** The picture in the pixel module's memory: Y, U and V, one plane after the other, as the recorder reads them. */
import type { Rectangle } from '../layout.ts'
import type { Pixels } from './pixels.ts'
import type { Scaling } from './scaling.ts'
import type { Source } from './source.ts'

/** The ground may cover a video up to this distance from its edge: round corners, and the speaker's frame. Even. */
const RIM = 12
/** The ground is taken over in strips of at most so many rows. Even. */
export const GROUND_ROWS = 60

export class Picture {
  readonly width: number
  readonly height: number
  readonly #pixels: Pixels
  readonly #frame: number
  readonly #ground: number
  readonly #alphaY: number
  readonly #alphaC: number
  readonly #rgba: number

  /** Pixels; both even. */
  constructor(pixels: Pixels, width: number, height: number) {
    this.width = width
    this.height = height
    this.#pixels = pixels
    this.#frame = pixels.allocate(this.bytes)
    this.#ground = pixels.allocate(this.bytes)
    this.#alphaY = pixels.allocate(width * height)
    this.#alphaC = pixels.allocate((width * height) / 4)
    this.#rgba = pixels.allocate(width * Math.min(height, GROUND_ROWS) * 4)
  }

  get bytes(): number {
    return (this.width * this.height * 3) / 2
  }

  /**
   * Rows of the picture, for each plane with its offset in a file; both numbers are even. Valid until more is painted.
   */
  rows(from: number, to: number): { at: number; bytes: Uint8Array<ArrayBuffer> }[] {
    const { buffer } = this.#pixels.memory as { buffer: ArrayBuffer }
    const half = this.width / 2
    return this.#planes(this.#frame).map((address, index) => {
      const [stride, first, last] = index === 0 ? [this.width, from, to] : [half, from / 2, to / 2]
      const bytes = new Uint8Array(buffer, address + first * stride, (last - first) * stride)
      return { at: address - this.#frame + first * stride, bytes }
    })
  }

  /** Takes a strip of the painted ground over; the place is even. */
  takeGround(image: ImageData, { x, y, width, height }: Rectangle): void {
    const { buffer } = this.#pixels.memory
    new Uint8Array(buffer, this.#rgba, image.data.length).set(image.data)
    const [luma, u, v] = this.#at(this.#planes(this.#ground), x, y) as [number, number, number]
    const alphaY = this.#alphaY + y * this.width + x
    const alphaC = this.#alphaC + (y / 2) * (this.width / 2) + x / 2
    this.#pixels.fromRgba(this.#rgba, width, height, luma, u, v, this.width, alphaY, alphaC)
  }

  /** Paints the ground over the old content. */
  layGround(place: Rectangle): void {
    const from = this.#at(this.#planes(this.#ground), place.x, place.y)
    const to = this.#at(this.#planes(this.#frame), place.x, place.y)
    this.#strides().forEach((stride, index) => {
      const shared = index === 0 ? 1 : 2
      this.#pixels.copy(from[index]!, stride, to[index]!, stride, place.width / shared, place.height / shared)
    })
  }

  /** Paints a video, and over its rim the part of the ground that covers it. */
  layVideo(source: Source, scaling: Scaling, to: Rectangle): void {
    scaling.run(source, this.#at(this.#planes(this.#frame), to.x, to.y), this.#strides())
    for (const part of rimOf(to)) this.#layOver(part)
  }

  #layOver({ x, y, width, height }: Rectangle): void {
    const over = this.#at(this.#planes(this.#ground), x, y)
    const to = this.#at(this.#planes(this.#frame), x, y)
    this.#strides().forEach((stride, index) => {
      const shared = index === 0 ? 1 : 2
      const alpha = (index === 0 ? this.#alphaY : this.#alphaC) + (y / shared) * stride + x / shared
      this.#pixels.blend(over[index]!, alpha, to[index]!, stride, width / shared, height / shared)
    })
  }

  #planes(address: number): [y: number, u: number, v: number] {
    const pixels = this.width * this.height
    return [address, address + pixels, address + pixels * 1.25]
  }

  #strides(): [y: number, u: number, v: number] {
    return [this.width, this.width / 2, this.width / 2]
  }

  #at(planes: readonly number[], x: number, y: number): number[] {
    return planes.map((address, index) =>
      index === 0 ? address + y * this.width + x : address + (y / 2) * (this.width / 2) + x / 2,
    )
  }
}

/** Four strips, or all of a small place. */
function rimOf({ x, y, width, height }: Rectangle): Rectangle[] {
  if (width <= 2 * RIM || height <= 2 * RIM) return [{ x, y, width, height }]
  const inner = height - 2 * RIM
  return [
    { x, y, width, height: RIM },
    { x, y: y + height - RIM, width, height: RIM },
    { x, y: y + RIM, width: RIM, height: inner },
    { x: x + width - RIM, y: y + RIM, width: RIM, height: inner },
  ]
}
