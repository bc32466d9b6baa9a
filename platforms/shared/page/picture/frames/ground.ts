/**
 * Paints the parts of a scene that are not video: the area behind and beside the pictures, names, initials, frames.
 * Where a video is to be seen the ground is transparent, to the round corners and under the speaker's frame.
 */
import { LOOK } from '../composite-style.ts'
import type { Rectangle } from '../layout.ts'
import type { Scene, SceneTile } from './scene.ts'
import { shorten, startsRightToLeft } from './text.ts'

type Pen = OffscreenCanvasRenderingContext2D

const ELLIPSIS_ROOM = 8
const CARD = { padding: { x: 40, y: 22 }, radius: 14, mostOfWidth: 0.7 }

export class Ground {
  readonly #pen: Pen
  readonly #width: number
  readonly #height: number

  constructor(width: number, height: number) {
    this.#width = width
    this.#height = height
    this.#pen = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })!
    this.#pen.textBaseline = 'middle'
  }

  /** Without its tiles. */
  paintEmpty({ rest, emptyText, area }: Scene): void {
    const pen = this.#pen
    pen.fillStyle = LOOK.ground
    pen.fillRect(0, 0, this.#width, this.#height)
    if (rest !== null) {
      const { x, y, width, height } = rest.place
      fillRound(pen, rest.place, LOOK.radius, LOOK.picture)
      write(pen, rest.text, { x: x + width / 2, y: y + height / 2, size: Math.round(height * LOOK.restSize) })
    }
    if (emptyText === null) return
    pen.font = fontOf(LOOK.emptySize)
    const text = shorten(emptyText, area.width * CARD.mostOfWidth, (part) => pen.measureText(part).width)
    const width = pen.measureText(text).width + 2 * CARD.padding.x
    const height = LOOK.emptySize * 1.25 + 2 * CARD.padding.y
    const [x, y] = [area.x + area.width / 2, area.y + area.height / 2]
    fillRound(pen, { x: x - width / 2, y: y - height / 2, width, height }, CARD.radius, LOOK.picture)
    write(pen, text, { x, y, size: LOOK.emptySize, color: LOOK.text })
  }

  /** `video` is the place of this tile's video, null if initials are. */
  paintTile(tile: SceneTile, video: Rectangle | null): void {
    const pen = this.#pen
    const { picture, isScreen } = tile
    const radius = isScreen ? LOOK.screenRadius : LOOK.radius
    pen.fillStyle = LOOK.ground
    pen.fillRect(picture.x, picture.y, picture.width, picture.height)
    fillRound(pen, picture, radius, isScreen ? LOOK.screen : LOOK.picture)
    if (video !== null) {
      pen.save()
      pen.globalCompositeOperation = 'destination-out'
      pen.beginPath()
      pen.roundRect(picture.x, picture.y, picture.width, picture.height, radius)
      pen.clip()
      pen.fillRect(video.x, video.y, video.width, video.height)
      pen.restore()
    } else if (!isScreen) this.#paintInitials(tile)
    if (tile.isSpeaking) {
      const half = LOOK.speakingBorder / 2
      pen.lineWidth = LOOK.speakingBorder
      pen.strokeStyle = LOOK.speaking
      pen.beginPath()
      pen.roundRect(
        picture.x + half,
        picture.y + half,
        picture.width - 2 * half,
        picture.height - 2 * half,
        radius - half,
      )
      pen.stroke()
    }
    this.#paintCaption(tile)
  }

  /** RGBA, not multiplied by its alpha. */
  read({ x, y, width, height }: Rectangle): ImageData {
    return this.#pen.getImageData(x, y, width, height)
  }

  #paintInitials({ picture, initials, color }: SceneTile): void {
    const pen = this.#pen
    const diameter = Math.round(Math.min(picture.width, picture.height) * LOOK.initials)
    const [x, y] = [picture.x + picture.width / 2, picture.y + picture.height / 2]
    pen.fillStyle = color
    pen.beginPath()
    pen.arc(x, y, diameter / 2, 0, 2 * Math.PI)
    pen.fill()
    write(pen, initials, { x, y, size: Math.round(diameter * LOOK.initialsSize), color: '#fff', weight: 700 })
  }

  #paintCaption({ caption, fontSize, label, isSpeaking }: SceneTile): void {
    const pen = this.#pen
    pen.fillStyle = LOOK.ground
    pen.fillRect(caption.x, caption.y, caption.width, caption.height)
    const middle = caption.y + caption.height / 2
    let x = caption.x + 4
    if (isSpeaking) {
      pen.fillStyle = LOOK.speaking
      pen.beginPath()
      pen.arc(x + fontSize / 4, middle, fontSize / 4, 0, 2 * Math.PI)
      pen.fill()
      x += fontSize * 0.9
    }
    pen.font = fontOf(fontSize)
    pen.direction = startsRightToLeft(label) ? 'rtl' : 'ltr'
    pen.textAlign = 'left'
    pen.fillStyle = isSpeaking ? LOOK.nameOfSpeaker : LOOK.name
    const room = caption.x + caption.width - ELLIPSIS_ROOM - x
    const text = shorten(label, room, (part) => pen.measureText(part).width)
    if (text !== '') pen.fillText(text, x + 1, middle)
  }
}

/** Centered on a point. */
function write(
  pen: Pen,
  text: string,
  look: { x: number; y: number; size: number; color?: string; weight?: number },
): void {
  pen.font = fontOf(look.size, look.weight)
  pen.direction = 'ltr'
  pen.textAlign = 'center'
  pen.fillStyle = look.color ?? LOOK.name
  pen.fillText(text, look.x, look.y)
}

function fontOf(size: number, weight = 400): string {
  return `${weight} ${size}px ${LOOK.fonts}`
}

function fillRound(pen: Pen, { x, y, width, height }: Rectangle, radius: number, color: string): void {
  pen.fillStyle = color
  pen.beginPath()
  pen.roundRect(x, y, width, height, radius)
  pen.fill()
}
