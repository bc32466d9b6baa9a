/** Choices of the recorder, each with where its number comes from. */
import { CHILD_PATH } from '@standin/wire/process/child-path.ts'

/** The size that the display has and the recording keeps; the specification's 720p. */
export const PICTURE_WIDTH = 1280
export const PICTURE_HEIGHT = 720

/**
 * How much longer Chromium takes, in software rendering, to bring a picture to the display, or into the file of frames, than
 * to bring its sound to the sound server. Medians of flash and beep of many recordings on idle cores.
 */
export const PICTURE_LATENCY_MS = { display: 45, frames: 10 } as const

/**
 * Milliseconds of sound that Chromium hands over at a time. Left alone it takes 10, and each time four processes wake up;
 * larger pieces save 0.04 of a core with 20 ms and a tenth with 40 (bench/notes/2026-11-22-ways-to-capture.md). Beside a picture more than 20 make
 * the sound come unevenly.
 */
export const SOUND_PIECE_MS = { live: 10, besidePicture: 20, alone: 40 } as const
/** So many pieces of sound lie between the browser and the recorder; measured with `npm run bench`. */
export const PIECES_ON_THE_WAY = 3

/** Room is kept for the index of so long a recording: what a job gets that asks for nothing else. */
export const INDEXED_SECONDS = 4 * 3600
/** A recording may take so much longer than its longest time until it has ended. */
export const END_SECONDS = 60

/**
 * Milliseconds of sound that Chromium keeps ready in the sound server, if a picture is recorded and no listener gets
 * the sound live. By default it keeps three pieces: when the machine stalls for longer, the server has nothing to play,
 * and the sound after that is late for seconds (bench/notes/2026-11-24-standstills.md).
 */
export const SOUND_AHEAD_MS = 200

export const DEFAULT_LIMITS = {
  /** Display or sound server from start to ready. */
  serverReadyMs: 20_000,
  /** From the start of the encoder to its first frame. */
  firstFrameMs: 20_000,
  /** From the polite request to stop until an idle encoder is interrupted: it still writes what it holds. */
  encoderStopMs: 5_000,
  /** Without a new frame for so long the encoder counts as crashed, even if its process still runs. */
  standingStillMs: 10_000,
  /**
   * An encoder that works, or waits for a processor, gets so much time instead of either: a new one would starve as well, and
   * what an ending one holds would be lost.
   */
  starvingMs: 60_000,
  /** Sound below the noise floor for so long counts as silence. */
  silenceMs: 2_000,
  /** Peak level in dBFS; comfort noise of meeting clients stays near -70, quiet speech peaks above -40. */
  noiseFloorDb: -50,
}

export type RecorderLimits = Readonly<typeof DEFAULT_LIMITS>

/** The environment of a child: its files go to `folder`, because the home folder may be read-only. */
export function childEnvironment(folder: string): Record<string, string> {
  return {
    PATH: CHILD_PATH,
    HOME: folder,
    TMPDIR: folder,
    XDG_CONFIG_HOME: folder,
    XDG_RUNTIME_DIR: folder,
    LC_ALL: 'C',
  }
}
