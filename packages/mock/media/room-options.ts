export interface MediaRoomOptions {
  /**
   * Streams for voices: each carries one of the loudest speakers; a single one carries all, mixed. Default 3.
   * `perPerson` gives each person separate streams for sound and pictures, named by `SessionOptions`.
   */
  audioStreams?: number | 'perPerson'
  /** Of camera pictures; even numbers. Default 640×360. Shared screens are twice as wide and high. */
  width?: number
  height?: number
  /**
   * How many sizes each camera is sent in, each half as wide and high as the one before; a page asks for those that it
   * shows (`MediaSession.askFor`), and gets the smallest until then. Default 1.
   */
  layers?: number
  /** Every part of a camera's picture moves, so that it takes as long to decode as a real one. Default false. */
  moves?: boolean
  /** Shared screens stand still, and are sent all the same. Default false. */
  stillScreens?: boolean
  /** Frames per second of camera pictures; default 24. Shared screens have half. */
  fps?: number
  /** Share of packets (0 to 1) that get lost on the way to the page. Default 0. */
  loss?: number
  /** Where pages connect to. Default 127.0.0.1. */
  address?: string
  /** Where encoded media is kept between runs. */
  cacheFolder?: string
}

export const LOOPBACK = '127.0.0.1'
const MAX_AUDIO_STREAMS = 16
const MAX_LAYERS = 4
const MIN_SIDE = 64

/** Adds the defaults. Throws RangeError for invalid values. */
export function checked(options: MediaRoomOptions) {
  const { width = 640, height = 360, fps = 24, loss = 0, audioStreams = 3, address = LOOPBACK } = options
  const { layers = 1, moves = false, stillScreens = false } = options
  if (!Number.isInteger(layers) || layers < 1 || layers > MAX_LAYERS) {
    throw new RangeError(`layers is an integer from 1 to ${MAX_LAYERS}, not ${layers}`)
  }
  const isFit = (side: number) => side % 2 ** layers === 0 && side / 2 ** (layers - 1) >= MIN_SIDE
  if (!isFit(width) || !isFit(height)) {
    throw new RangeError(
      `Pictures need an even width and height of at least ${MIN_SIDE} in each size, not ${width}×${height} in ${layers}`,
    )
  }
  if (!Number.isInteger(fps) || fps < 10 || fps > 60)
    throw new RangeError(`fps is an integer from 10 to 60, not ${fps}`)
  if (!(loss >= 0 && loss < 1)) throw new RangeError(`loss is a share from 0 to less than 1, not ${loss}`)
  const isNumber = audioStreams !== 'perPerson'
  if (isNumber && !(Number.isInteger(audioStreams) && audioStreams >= 1 && audioStreams <= MAX_AUDIO_STREAMS)) {
    throw new RangeError(`audioStreams is an integer from 1 to ${MAX_AUDIO_STREAMS}, not ${audioStreams}`)
  }
  return { width, height, fps, loss, audioStreams, address, layers, moves, stillScreens }
}
