/** Interfaces of recorder and storage: how a recording is made, and where its files go. */

import type { Quality } from '@standin/wire/events.ts'
import type { CaptureEnvironment } from './ports.ts'

/** A file with sound, maybe with a picture, that reached its place while it was recorded. */
export interface StoredMedia {
  stored: StoredFile
  durationSeconds: number
}

/** Files of a finished recording. */
export interface FinishedRecording {
  files: StoredMedia[]
  /** Why a file could not be finished; what is recorded of it stays where it can be recovered. */
  problem: Error | null
}

/** A stretch of recorded time; pauses lie between stretches. */
export interface RecordedSpan {
  /** UTC milliseconds of the first recorded frame. */
  startedAt: number
  /** UTC milliseconds; null while it is running. */
  endedAt: number | null
}

/**
 * Which part failed, and so how the recording can resume: after an `encoder`, call `resume`; after an `environment` (the
 * display or the sound server), call `prepare`, open a browser there, and call `resume`. When the `place` accepts no
 * more data, the recording cannot resume.
 */
export type RecorderLoss = 'encoder' | 'environment' | 'place'

export type RecorderEvent =
  /** Bytes are what is safely in files so far. */
  | {
      type: 'progress'
      seconds: number
      bytes: number
      droppedFrames: number
      /** How far the encoder is behind what is shown and heard. */
      lagMs: number
      at: number
    }
  /** Whether the recorded sound carries anything above the noise floor. */
  | { type: 'sound'; isAudible: boolean; at: number }
  /** Nothing is recorded any more; what was written stays. */
  | { type: 'failed'; lost: RecorderLoss; error: Error; at: number }

/** Repeatable from `prepare` on: `stop` and `close` may come at any time and twice. */
export interface Recorder {
  /** Starts display and sound servers, as far as the mode needs them and they do not run. */
  prepare(signal: AbortSignal): Promise<CaptureEnvironment>
  /**
   * Captures into memory, from which a recording may begin; `mayRenew` says that the captured part is not needed yet.
   */
  standBy(mayRenew: () => boolean): void
  /**
   * Resolves when the first frame (or sound) is captured. `from` (UTC milliseconds): where the recorder stood by, the
   * recording begins then, or up to a fifth of a second later; elsewhere now.
   */
  start(from?: number | null): Promise<void>
  /** Resolves when nothing more is written. */
  pause(): Promise<void>
  /** Resolves when the first frame of the new span is captured. */
  resume(): Promise<void>
  watch(listener: (event: RecorderEvent) => void): () => void
  /**
   * Leads the browser's sound back into the recording where it was led elsewhere, muted or suspended in the sound server.
   * Resolves with what was put right, for people. Rejects if the sound server cannot be asked.
   */
  restoreSound(signal: AbortSignal): Promise<string[]>
  /** The recorded stretches so far, oldest first; empty before `start`. */
  spans(): RecordedSpan[]
  /** Measurements of the recorder's work so far; null before `start`. */
  quality(): Quality | null
  /**
   * Stops capturing and completes the stored files; the signal ends attempts to reach the storage. The recording ends
   * at `until` (UTC milliseconds), if that is in its last stretch.
   */
  finish(signal: AbortSignal, until?: number | null): Promise<FinishedRecording>
  /** Stops servers and encoders. Never rejects. */
  close(): Promise<void>
}

/** Where a recording's files go. One instance serves one recording. */
export interface Storage {
  /** Fails early with a clear sentence where the place cannot be written. */
  prepare(signal: AbortSignal): Promise<void>
  /**
   * Stores one file under its name and verifies size and checksum of what is stored. Rejects when that is not certain.
   * Storing the same name again replaces it.
   */
  store(file: { name: string; path: string; contentType: string }, signal: AbortSignal): Promise<StoredFile>
  /** Begins a file that reaches its place while it is being made. Replaces an earlier one of this name when finished. */
  grow(file: GrowingStart, signal: AbortSignal): Promise<GrowingFile>
  /**
   * Reads a stored file back to `path` on this machine, with `mostBytes` its beginning only; does nothing if that is the stored
   * file itself.
   */
  fetch(name: string, path: string, signal: AbortSignal, mostBytes?: number): Promise<void>
  /** Where the recording is, for people: a folder's path or `s3://bucket/prefix/bot-id/`. */
  location(): string
}

export interface StoredFile {
  name: string
  /** A path or an `s3://` address; never a signed one. */
  location: string
  bytes: number
  /** Hex; null for a file that was stored while it grew: its first bytes were the last to be known. */
  sha256: string | null
  /** CRC-32 of the whole file as eight hex digits; where `sha256` is null, unless a recovery had no time to read it. */
  crc32?: string
}

/** How a growing file begins. */
export interface GrowingStart {
  name: string
  contentType: string
  /** The least room that is kept at the front for the final head. */
  headBytes: number
  /** A head with which what was appended plays, however much that is; taken where the final one was never made. */
  recoveryHead: Uint8Array
}

/**
 * A file that is stored while it is made: a header, known only at the end, and a body that grows behind it. Appended
 * data survives this process: it is stored, or in a spool on this machine from which it can be recovered.
 */
export interface GrowingFile {
  /**
   * Takes the next whole piece of the body, such as a fragment: recovery cuts between pieces. Resolves when the operating
   * system has the bytes, which must not change until then, and never waits for the network. Calls need not wait for each
   * other. Rejects with a StorageError if nothing more can be kept (disk full, spool past its limit): from then on all
   * do, and what came before stays good.
   */
  append(bytes: Uint8Array): Promise<void>
  /** Bytes of the body that are stored already. */
  storedBytes(): number
  /**
   * Uploads the rest and the header, completes and verifies. `makeHead` gets the number of bytes that the header must
   * fill exactly, or null if any size fits (a short recording). May be retried after it rejected.
   */
  finish(makeHead: (room: number | null) => Uint8Array, signal: AbortSignal): Promise<StoredFile>
  /** Stops without finishing; what was appended stays for recovery. Repeatable, never rejects. */
  close(): Promise<void>
}
