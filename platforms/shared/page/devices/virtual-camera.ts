/** A camera that is a canvas: it shows the bot's picture, a card with its initials, or frames that come from a page. */
import { CALM_COLORS } from '../picture/composite-style.ts'
import { initialsOf, labelOf } from '../picture/initials.ts'

export interface Size {
  width: number
  height: number
}

const GROUND = '#1f2229'

/** Pixels and pictures per second of a page as the camera. */
const LARGE: Size = { width: 1280, height: 720 }
const LARGE_RATE = 25
/** After so long its picture is repeated. */
const STILL_MS = 500

export interface ShownFrames {
  /** Shows the frame and closes it. */
  draw(frame: VideoFrame): Promise<void>
  /** Repeatable. The picture is back, unless other frames are shown since. */
  end(): void
}

interface Source extends Size {
  canvas: HTMLCanvasElement
  pen: CanvasRenderingContext2D
  track: MediaStreamTrack
}

/**
 * A canvas without drawing gives no frames at all, and people who join later would see no picture, so the same picture
 * is drawn again and again, slowly. One canvas for each size that was asked for; drawing starts with the first.
 */
export function createVirtualCamera(name: string, framesPerSecond: number) {
  const sources: Source[] = []
  const every = setInterval.bind(globalThis)
  let image: ImageBitmap | null = null
  let count = 0
  let drawnAt = 0
  /** The page that is shown, and its latest picture: a page that stands still gives no others. */
  let shown: { picture: HTMLCanvasElement | null } | null = null

  function draw(source: Source): void {
    const { width, height } = source.canvas
    source.pen.fillStyle = GROUND
    source.pen.fillRect(0, 0, width, height)
    if (shown?.picture) drawWhole(source, shown.picture, shown.picture)
    else if (image) drawWhole(source, image, image)
    else drawCard(source, name)
    // A point that changes by an invisible shade makes every frame a new one.
    source.pen.fillStyle = count % 2 === 0 ? '#1f2229' : '#20232a'
    source.pen.fillRect(0, 0, 1, 1)
  }

  function drawAll(): void {
    count++
    drawnAt = performance.now()
    for (const source of sources) draw(source)
  }

  /** Between two frames of a page that moves there is nothing to repeat. */
  function repeat(): void {
    if (performance.now() - drawnAt > (shown ? STILL_MS : 500 / framesPerSecond)) drawAll()
  }

  /** A small camera grows for a page, whose text would be unreadable. */
  function sizeOf({ width, height }: Size): Size {
    const growth = shown ? Math.max(1, Math.min(LARGE.width / width, LARGE.height / height)) : 1
    return { width: 2 * Math.round((width * growth) / 2), height: 2 * Math.round((height * growth) / 2) }
  }

  function show(next: typeof shown): void {
    shown = next
    for (const source of sources) Object.assign(source.canvas, sizeOf(source))
    drawAll()
  }

  function sourceOf({ width, height }: Size): Source {
    const known = sources.find((source) => source.width === width && source.height === height)
    if (known) return known
    const canvas = document.createElement('canvas')
    Object.assign(canvas, sizeOf({ width, height }))
    const pen = canvas.getContext('2d', { alpha: false })
    const track = canvas.captureStream().getVideoTracks()[0]
    if (!pen || !track) throw new Error('This browser cannot make a camera of a canvas')
    const source = { canvas, pen, track, width, height }
    draw(source)
    if (sources.push(source) === 1) every(repeat, 1000 / framesPerSecond)
    return source
  }

  return {
    /** A new track of the wanted size; every call gives another track. */
    open: (size: Size): MediaStreamTrack => sourceOf(size).track.clone(),
    sizeOf,
    /** In pictures per second. */
    rate: () => (shown ? LARGE_RATE : framesPerSecond),
    showFrames(): ShownFrames {
      const own: NonNullable<typeof shown> = { picture: null }
      const write = createFrameWriter()
      show(own)
      return {
        async draw(frame) {
          const picture = await write(frame).finally(() => frame.close())
          if (shown !== own) return
          own.picture = picture
          drawAll()
        },
        end: () => shown === own && show(null),
      }
    },
    /** Null for the card with initials. The old picture stays when the new one cannot be decoded. */
    async setImage(dataUrl: string | null): Promise<void> {
      const next = dataUrl === null ? null : await decodeImage(dataUrl)
      image?.close()
      image = next
      drawAll()
    },
  }
}

/**
 * Into a canvas, by a copy: a frame that is drawn stays in the browser's cache of decoded images, where each frame of a page is
 * another image, up to half a gigabyte.
 */
function createFrameWriter(): (frame: VideoFrame) => Promise<HTMLCanvasElement> {
  const canvas = document.createElement('canvas')
  const pen = canvas.getContext('2d', { alpha: false, willReadFrequently: true })!
  let pixels = new ImageData(1, 1)
  return async (frame) => {
    const { width, height } = frame.visibleRect ?? pixels
    if (pixels.width !== width || pixels.height !== height) {
      Object.assign(canvas, { width, height })
      pixels = new ImageData(width, height)
    }
    await frame.copyTo(pixels.data, { format: 'RGBA' })
    pen.putImageData(pixels, 0, 0)
    return canvas
  }
}

/** From bytes, because the page's policy may forbid images from `data:` addresses. */
async function decodeImage(dataUrl: string): Promise<ImageBitmap> {
  const parts = /^data:(image\/[a-z0-9.+-]+)((?:;[^;,]*)*),(.*)$/is.exec(dataUrl)
  if (!parts) throw new Error('The bot image is not a data: URL of an image')
  const [, type = '', parameters = '', data = ''] = parts
  try {
    const text = /;base64$/i.test(parameters) ? atob(data) : latin1Of(data)
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0))
    return await createImageBitmap(new Blob([bytes], { type }))
  } catch (error) {
    throw new Error(`The bot image (${type}) cannot be decoded`, { cause: error })
  }
}

/** Percent escapes are single bytes here, not UTF-8. */
function latin1Of(encoded: string): string {
  return encoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** Complete and undistorted, in the middle. */
function drawWhole({ pen, canvas: { width, height } }: Source, image: CanvasImageSource, size: Size): void {
  const scale = Math.min(width / size.width, height / size.height)
  const shown = { width: size.width * scale, height: size.height * scale }
  pen.imageSmoothingQuality = 'high'
  pen.drawImage(image, (width - shown.width) / 2, (height - shown.height) / 2, shown.width, shown.height)
}

function drawCard({ pen, canvas: { width, height } }: Source, name: string): void {
  const middle = { x: width / 2, y: height * 0.43 }
  pen.fillStyle = CALM_COLORS[0]
  pen.beginPath()
  pen.arc(middle.x, middle.y, height * 0.23, 0, 2 * Math.PI)
  pen.fill()
  pen.textAlign = 'center'
  pen.textBaseline = 'middle'
  pen.fillStyle = '#ffffff'
  pen.font = `700 ${Math.round(height * 0.18)}px 'Liberation Sans', 'Noto Sans', sans-serif`
  pen.fillText(initialsOf(name), middle.x, middle.y + height * 0.01)
  pen.fillStyle = '#c9ced8'
  pen.font = `${Math.round(height * 0.07)}px 'Liberation Sans', 'Noto Sans', sans-serif`
  pen.fillText(labelOf(name), middle.x, height * 0.79, width * 0.9)
}
