/** Messages between a page and the worker that paints its frames: plain data, streams and frames. */
import type { Rectangle } from '../layout.ts'

/** One picture of a scene, with everything that is painted with it. */
export interface SceneTile {
  /** Another number for every tile since the start. */
  tile: number
  label: string
  initials: string
  /** Behind the initials. */
  color: string
  picture: Rectangle
  caption: Rectangle
  fontSize: number
  isScreen: boolean
  isSpeaking: boolean
  /** There is a picture to show instead of the initials. */
  hasPicture: boolean
}

/** Places are relative to the area's corner. */
export interface Scene {
  area: Rectangle
  /** Later tiles are drawn over earlier ones. */
  tiles: readonly SceneTile[]
  /** The place that shows the number of people without a tile. */
  rest: { place: Rectangle; text: string } | null
  /** While the bot is alone. */
  emptyText: string | null
}

export type ToPainter =
  /** Comes first, once. */
  | { type: 'open'; width: number; height: number }
  | { type: 'scene'; scene: Scene }
  /** Frames of a tile from now on, instead of those before. */
  | { type: 'follow'; tile: number; frames: ReadableStream<VideoFrame> }
  /** A still picture, which sends no frames. */
  | { type: 'still'; tile: number; frame: VideoFrame }
  | { type: 'unfollow'; tile: number }
  | { type: 'forget'; tile: number }
  /** Milliseconds that each picture is frozen after a frame; 0 shows them all. */
  | { type: 'rest'; ms: number }
  | { type: 'sync'; number: number }
  | { type: 'png'; number: number }

export type FromPainter =
  /** The file is there and begins with these bytes (hex), which identify it until the first scene. */
  | { type: 'opened'; mark: string }
  | { type: 'refused'; reason: string }
  /** A part was not painted; reported once for each reason in a row. */
  | { type: 'failed'; reason: string }
  /** The painter stopped for good. */
  | { type: 'broke'; reason: string }
  /** The first frame of a tile since it is followed, or one of another shape; pixels, as it is seen. */
  | { type: 'frame'; tile: number; width: number; height: number }
  /** Everything sent before this number was requested had its turn to be painted. */
  | { type: 'synced'; number: number }
  | { type: 'png'; number: number; image: ArrayBuffer }
