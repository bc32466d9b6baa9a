/** Scales the planes of a video to their size in the picture, for every frame. */
import type { Fit } from './fit.ts'
import type { Pixels } from './pixels.ts'
import type { Plane, Source } from './source.ts'

/** A larger ratio is halved first, or some pixels would not count. */
const MAX_RATIO = 1.75

interface PlaneScaling {
  columns: number
  rows: number
  halvings: number
  from: number
  span: number
  table: number
  /** Memory for the halved planes, one after the other; 0 without halving. */
  scratch: number
}

export class Scaling {
  readonly #pixels: Pixels
  readonly #planes: readonly PlaneScaling[]
  readonly #key: string

  constructor(pixels: Pixels, source: Source, fit: Fit) {
    this.#pixels = pixels
    this.#key = keyOf(source, fit)
    this.#planes = source.planes.map((plane, index) => prepare(pixels, source, plane, fit, index === 0 ? 1 : 2))
  }

  suits(source: Source, fit: Fit): boolean {
    return this.#key === keyOf(source, fit)
  }

  /** Paints into planes that begin at `targets` and have these strides. */
  run(source: Source, targets: readonly number[], strides: readonly number[]): void {
    for (const [index, scaling] of this.#planes.entries()) {
      const plane = this.#halved(source.planes[index]!, scaling)
      const { from, span, table, columns, rows } = scaling
      const stride = strides[index]!
      this.#pixels.scale(
        ...([
          plane.address,
          plane.width,
          plane.height,
          from,
          span,
          table,
          targets[index]!,
          stride,
          columns,
          rows,
        ] as const),
      )
    }
  }

  release(): void {
    for (const { table, scratch } of this.#planes) {
      this.#pixels.release(table)
      if (scratch !== 0) this.#pixels.release(scratch)
    }
  }

  #halved(whole: Plane, { halvings, scratch }: PlaneScaling): Plane {
    let plane = whole
    let address = scratch
    for (let halving = 0; halving < halvings; halving++) {
      this.#pixels.halve(plane.address, plane.width, plane.width, plane.height, address)
      plane = { address, width: plane.width >> 1, height: plane.height >> 1 }
      address += plane.width * plane.height
    }
    return plane
  }
}

function keyOf({ planes }: Source, { from, to }: Fit): string {
  return JSON.stringify([planes.map(({ width, height }) => [width, height]), from, to])
}

function prepare(pixels: Pixels, source: Source, plane: Plane, { from, to }: Fit, shared: number): PlaneScaling {
  const [across, down] = [plane.width / source.width, plane.height / source.height]
  const [columns, rows] = [to.width / shared, to.height / shared]
  let halvings = 0
  const isTooMuch = () => (from.width * across) / columns / 2 ** halvings > MAX_RATIO
  while (isTooMuch() && plane.width >> halvings >= 4 && plane.height >> halvings >= 4) halvings++
  const part = 1 / 2 ** halvings
  const table = pixels.allocate(pixels.bytesOfTable(columns))
  pixels.makeTable(table, from.x * across * part, from.width * across * part, columns, plane.width >> halvings)
  // All halves together take a third of the whole.
  const scratch = halvings === 0 ? 0 : pixels.allocate(Math.ceil((plane.width * plane.height) / 2))
  return { columns, rows, halvings, from: from.y * down * part, span: from.height * down * part, table, scratch }
}
