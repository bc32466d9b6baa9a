import type { VideoProgram } from './encode.ts'
import type { RtpSender } from './rtp-sender.ts'
import { placeVideo, type VideoSource } from './slots.ts'

export interface VideoSlot {
  mid: string
  /** The id of the track's stream in the page. */
  streamId: string
  /** null: the line shows no person now. */
  personId: string | null
  kind: 'camera' | 'screen'
}

interface Line {
  mid: string
  streamId: string
  sender: RtpSender
  source: VideoSource | null
  /** Pixels; what the page asked for. */
  height: number
  /** The program that is sent now. It changes only if the new program has a key frame. */
  program: VideoProgram | null
  programSource: VideoSource | null
}

/** The m-lines of one session that carry pictures to the page: who is on each, and which frame comes next. */
export class VideoLines {
  #lines: Line[] = []
  readonly #programOf: (source: VideoSource, height: number) => VideoProgram | undefined

  /** @param programOf the encoded pictures of a source, of about this height; undefined until they are encoded */
  constructor(programOf: (source: VideoSource, height: number) => VideoProgram | undefined) {
    this.#programOf = programOf
  }

  /** Applies the negotiated lines. A known line keeps its person. */
  setLines(lines: readonly { mid: string; streamId: string; sender: RtpSender }[]): void {
    this.#lines = lines.map((line) => {
      const known = this.#lines.find(({ mid }) => mid === line.mid)
      return { source: null, height: 0, program: null, programSource: null, ...known, ...line }
    })
  }

  /** Heights in pixels by m-line. A line without one gets the smallest pictures. */
  askFor(heights: ReadonlyMap<string, number>): void {
    for (const line of this.#lines) line.height = heights.get(line.mid) ?? 0
  }

  slots(): VideoSlot[] {
    return this.#lines.map(({ mid, streamId, source }) => ({
      mid,
      streamId,
      personId: source?.personId ?? null,
      kind: source?.kind ?? 'camera',
    }))
  }

  /** Frees the lines of sources that are gone, without placing others. Returns whether a line changed. */
  keep(sources: readonly VideoSource[]): boolean {
    const gone = this.#lines.filter(({ source }) => source && !sources.some((kept) => isSameSource(kept, source)))
    for (const line of gone) line.source = null
    return gone.length > 0
  }

  /** Gives a line's stream another name and another sender. */
  name(mid: string, streamId: string, sender: RtpSender): void {
    for (const line of this.#lines) if (line.mid === mid) Object.assign(line, { streamId, sender })
  }

  /** Places the sources on the lines. Returns whether anything changed. */
  place(sources: readonly VideoSource[]): boolean {
    const placed = placeVideo(
      this.#lines.map((line) => line.source),
      sources,
    )
    const changed = this.#lines.some((line, i) => !isSameSource(line.source, placed[i] ?? null))
    this.#lines.forEach((line, i) => {
      line.source = placed[i] ?? null
    })
    return changed
  }

  /**
   * Sends the pictures of a room time.
   * @param tick frames since the room began
   * @param isAfterGap frames were left out before this one: only a key frame can follow
   */
  send(tick: number, fps: number, roomMs: number, isAfterGap: boolean): void {
    for (const line of this.#lines) {
      if (!line.sender.isReady) continue
      if (isAfterGap || !isSameSource(line.source, line.programSource)) line.program = null
      const wanted = line.source === null ? null : (this.#programOf(line.source, line.height) ?? null)
      if (wanted !== null && wanted !== line.program && frameAt(wanted, tick, fps)?.isKey) {
        line.program = wanted
        line.programSource = line.source
      }
      const frame = line.program === null ? undefined : frameAt(line.program, tick, fps)
      if (frame) line.sender.sendVp8(frame.data, roomMs)
    }
  }
}

function isSameSource(a: VideoSource | null, b: VideoSource | null): boolean {
  return a?.personId === b?.personId && a?.kind === b?.kind
}

/** The frame of a looping program at a tick of the room; undefined if a slower program has none. */
function frameAt(program: VideoProgram, tick: number, fps: number): VideoProgram['frames'][number] | undefined {
  const every = fps / program.fps
  return tick % every === 0 ? program.frames[(tick / every) % program.frames.length] : undefined
}
