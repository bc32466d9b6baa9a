import { barCodeCells } from './bar-code.ts'
import { GLYPH_HEIGHT, GLYPH_WIDTH, glyphCells } from './glyphs.ts'

/**
 * Draws the mock participants' camera pictures and shared screens as raw YUV 4:2:0 frames. Nothing here is live:
 * the frames of one loop are drawn once, encoded once and then only sent.
 */

/** Every picture and voice repeats after this long; a whole number of flash intervals. */
export const LOOP_SECONDS = 4
/** With the sync source on, picture and sound mark each whole multiple of this on the room clock. */
export const FLASH_INTERVAL_SECONDS = 2
export const FLASH_SECONDS = 0.1
/** The number of looks that differ in color and voice. */
export const LOOKS = 48

export interface PictureSpec {
  kind: 'camera' | 'screen'
  look: number
  /** Shown large; only A–Z and 0–9 are drawn. */
  text: string
  width: number
  height: number
  fps: number
  flash: boolean
  /** Every part of the picture moves. */
  moves: boolean
  /** Nothing in it moves, and each frame is equal to the one before. */
  isStill?: true
}

export interface Rgb {
  red: number
  green: number
  blue: number
}

type Yuv = readonly [number, number, number]
const WHITE: Yuv = [235, 128, 128]
const BLACK: Yuv = [16, 128, 128]
const PAPER: Yuv = [190, 128, 128]
const INK: Yuv = [50, 128, 128]

/** The plain background of a look's camera picture, and of the head line of its shared screen. */
export function lookColor(look: number): Rgb {
  // The golden angle keeps neighbours far apart; three lightness bands distinguish later rounds of the circle.
  const hue = (look * 137.508) % 360
  const lightness = [0.36, 0.46, 0.27][Math.floor(look / 16) % 3]!
  const channel = (n: number) => {
    const k = (n + hue / 30) % 12
    const a = 0.7 * Math.min(lightness, 1 - lightness)
    return Math.round(255 * (lightness - a * Math.max(-1, Math.min(k - 3, 9 - k, 1))))
  }
  return { red: channel(0), green: channel(8), blue: channel(4) }
}

/** BT.601 in the limited range: what browsers assume for VP8 without further notes. */
function toYuv({ red, green, blue }: Rgb): Yuv {
  return [
    Math.round(16 + 0.257 * red + 0.504 * green + 0.098 * blue),
    Math.round(128 - 0.148 * red - 0.291 * green + 0.439 * blue),
    Math.round(128 + 0.439 * red - 0.368 * green - 0.071 * blue),
  ]
}

export function frameCount(spec: PictureSpec): number {
  return LOOP_SECONDS * spec.fps
}

/** How far apart key frames lie, in frames: half a second where flashes still fall on one, else a second. */
export function keyFrameDistance(fps: number): number {
  return fps % 2 === 0 ? fps / 2 : fps
}

/** A function that draws frame n of the loop into its one buffer (valid until the next call). */
export function picturePainter(spec: PictureSpec): (frame: number) => Buffer {
  const canvas = new Canvas(spec.width, spec.height)
  const color = toYuv(lookColor(spec.look))
  if (spec.kind === 'camera') drawPerson(canvas, spec, color)
  else drawDocument(canvas, spec, color)
  const still = Buffer.from(canvas.pixels)
  const move = spec.moves ? grainOver(canvas.pixels, spec) : null
  return (frame) => {
    const seconds = frame / spec.fps
    if (spec.flash && seconds % FLASH_INTERVAL_SECONDS < FLASH_SECONDS) {
      canvas.rectangle(0, 0, 1, 1, WHITE)
      return canvas.pixels
    }
    still.copy(canvas.pixels)
    if (spec.isStill) return canvas.pixels
    move?.(frame)
    for (const cell of barCodeCells(frame)) {
      canvas.rectangle(cell.left, cell.top, cell.width, cell.height, cell.white ? WHITE : BLACK)
    }
    const part = frame / frameCount(spec)
    const clock = String(frame).padStart(3, '0')
    if (spec.kind === 'camera') {
      canvas.rectangle(0.05 + 0.8 * part, 0.72, 0.1, 0.06, WHITE)
      canvas.text(clock, 0.5, 0.84, 0.09, WHITE)
    } else {
      canvas.text(clock, 0.93, 0.93, 0.05, INK)
      const angle = part * 2 * Math.PI
      canvas.rectangle(0.5 + 0.4 * Math.cos(angle), 0.55 + 0.3 * Math.sin(angle), 0.012, 0.03, BLACK)
    }
    return canvas.pixels
  }
}

/** Too weak to hide the color of a look, and strong enough to be coded. */
const GRAIN = 9
/** Pixels at a width of 1280: the coarseness of the grain, and how far a camera in a hand moves to each side. */
const GRAIN_SIZE = 6
const SWAY = 24

/** Returns a function that lays a grain over the brightness, which sways as a picture from a camera in a hand does. */
function grainOver(pixels: Buffer, spec: PictureSpec): (frame: number) => void {
  const { width, height } = spec
  const sway = Math.round((SWAY * width) / 1280)
  const size = Math.max(2, Math.round((GRAIN_SIZE * width) / 1280))
  const stride = width + 2 * sway
  const grain = new Int8Array(stride * (height + 2 * sway))
  for (let row = 0; row * stride < grain.length; row++) {
    if (row % size !== 0) {
      grain.copyWithin(row * stride, (row - 1) * stride, row * stride)
      continue
    }
    for (let column = 0; column < stride; column += size) {
      // A fixed pseudo-random number for each place, the same on every run.
      const seed = Math.sin(column * 12.9898 + row * 78.233 + spec.look) * 43758.5453
      const value = Math.round((seed - Math.floor(seed) - 0.5) * 2 * GRAIN)
      grain.fill(value, row * stride + column, row * stride + Math.min(stride, column + size))
    }
  }
  return (frame) => {
    const angle = (frame / frameCount(spec)) * 2 * Math.PI
    const left = sway + Math.round(sway * Math.sin(3 * angle))
    const top = sway + Math.round(sway * Math.cos(2 * angle))
    for (let row = 0; row < height; row++) {
      const from = (row + top) * stride + left
      const to = row * width
      for (let column = 0; column < width; column++) pixels[to + column]! += grain[from + column]!
    }
  }
}

function drawPerson(canvas: Canvas, spec: PictureSpec, color: Yuv): void {
  canvas.rectangle(0, 0, 1, 1, color)
  canvas.text(spec.text === '' ? String(spec.look) : spec.text, 0.5, 0.28, 0.34, WHITE)
}

function drawDocument(canvas: Canvas, spec: PictureSpec, color: Yuv): void {
  canvas.rectangle(0, 0, 1, 1, PAPER)
  canvas.rectangle(0, 0, 1, 0.08, color)
  canvas.text(`SCREEN ${spec.text}`.trim(), 0.5, 0.015, 0.05, WHITE)
  // A fixed pseudo-random text: fine detail as in a document, the same on every run.
  let state = 12345 + spec.look
  const next = (below: number) => {
    state = (state * 1103515245 + 12345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
  for (let line = 0; line < 14; line++) {
    const letters = Array.from({ length: 70 }, () => (next(6) === 0 ? ' ' : String.fromCharCode(65 + next(26))))
    canvas.text(letters.join(''), 0.48, 0.21 + line * 0.05, 0.028, INK)
  }
}

class Canvas {
  readonly pixels: Buffer
  readonly #width: number
  readonly #height: number

  constructor(width: number, height: number) {
    this.#width = width
    this.#height = height
    this.pixels = Buffer.alloc((width * height * 3) / 2)
  }

  /** Fills a rectangle given in fractions of the picture; edges fall on even pixels because of the color planes. */
  rectangle(left: number, top: number, width: number, height: number, [y, u, v]: Yuv): void {
    const even = (value: number, limit: number) => Math.max(0, Math.min(limit, Math.round(value / 2) * 2))
    const x0 = even(left * this.#width, this.#width)
    const x1 = even((left + width) * this.#width, this.#width)
    const y0 = even(top * this.#height, this.#height)
    const y1 = even((top + height) * this.#height, this.#height)
    this.#plane(0, this.#width, x0, x1, y0, y1, y)
    const size = this.#width * this.#height
    this.#plane(size, this.#width / 2, x0 / 2, x1 / 2, y0 / 2, y1 / 2, u)
    this.#plane((size * 5) / 4, this.#width / 2, x0 / 2, x1 / 2, y0 / 2, y1 / 2, v)
  }

  /** Text centered on x; characters the alphabet lacks are left blank. */
  text(text: string, centerX: number, top: number, height: number, color: Yuv): void {
    const cell = Math.max(2, Math.round((height * this.#height) / GLYPH_HEIGHT / 2) * 2)
    const characters = [...text]
    const advance = (GLYPH_WIDTH + 1) * cell
    const left = centerX * this.#width - (characters.length * advance - cell) / 2
    characters.forEach((character, i) => {
      for (const [column, row] of glyphCells(character) ?? []) {
        this.rectangle(
          (left + i * advance + column * cell) / this.#width,
          top + (row * cell) / this.#height,
          cell / this.#width,
          cell / this.#height,
          color,
        )
      }
    })
  }

  #plane(offset: number, stride: number, x0: number, x1: number, y0: number, y1: number, value: number): void {
    for (let row = y0; row < y1; row++) {
      this.pixels.fill(value, offset + row * stride + x0, offset + row * stride + x1)
    }
  }
}
