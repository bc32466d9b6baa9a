/** Cuts a long recording into files that a provider takes, in pauses, without encoding anything again. */

import { join } from 'node:path'
import { runProgram } from '../../packages/core/process/run-program.ts'
import type { Turn } from './types.ts'

export interface Piece {
  file: string
  /** Seconds from the recording's start. */
  start: number
}

/** The recorder's noise floor. Voices are far louder. */
const SILENCE_DB = -50
/** A pause is looked for in this last part of a piece. */
const SEARCH_SHARE = 0.25

export async function secondsOf(file: string, signal: AbortSignal): Promise<number> {
  const args = ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', file]
  const seconds = Number(await runProgram('ffprobe', args, signal))
  if (!Number.isFinite(seconds)) throw new Error(`${file} has no length`)
  return seconds
}

/** No sample of the file is louder than the noise floor of recordings, so no voice can be heard in it. A file that cannot be measured is not silent. */
export async function isSilent(file: string, signal: AbortSignal): Promise<boolean> {
  const measure = ['-map', '0:a:0', '-af', 'volumedetect', '-f', 'null', '-']
  const args = ['-nostdin', '-hide_banner', '-nostats', '-i', file, ...measure]
  const output = await runProgram('ffmpeg', args, signal, 2).catch(() => '')
  signal.throwIfAborted()
  const loudest = /max_volume: (-?[\d.]+) dB/.exec(output)?.[1]
  return loudest !== undefined && Number(loudest) <= SILENCE_DB
}

/** The file itself where it is short enough; else pieces of it in `folder`, which exists. */
export async function piecesOf(
  file: string,
  options: { maxSeconds: number; turns: readonly Turn[]; folder: string; signal: AbortSignal },
): Promise<Piece[]> {
  const { folder, signal } = options
  const seconds = await secondsOf(file, signal)
  const cuts = cutsOf(seconds, options.maxSeconds, options.turns)
  if (cuts.length === 0) return [{ file, start: 0 }]
  const names = join(folder, 'piece-%04d.m4a')
  const list = join(folder, 'pieces.csv')
  await runProgram(
    'ffmpeg',
    [
      ...['-v', 'error', '-nostdin', '-y', '-i', file, '-map', '0:a:0', '-c', 'copy', '-f', 'segment'],
      ...['-segment_times', cuts.join(','), '-segment_list', list, '-segment_list_type', 'csv'],
      ...['-reset_timestamps', '1', names],
    ],
    signal,
  )
  return [0, ...cuts].map((start, index) => ({
    file: join(folder, `piece-${String(index).padStart(4, '0')}.m4a`),
    start,
  }))
}

/** A stretch of the file, as a file in `folder`. */
export async function pieceOf(
  file: string,
  { from, until, folder, signal }: { from: number; until: number; folder: string; signal: AbortSignal },
): Promise<string> {
  const piece = join(folder, 'stretch.m4a')
  const range = ['-ss', String(from), '-to', String(until)]
  const args = ['-v', 'error', '-nostdin', '-y', ...range, '-i', file, '-map', '0:a:0', '-c', 'copy', piece]
  await runProgram('ffmpeg', args, signal)
  return piece
}

/** Where to cut: in the middle of the longest pause near the end of each piece, else at its end. Pure. */
export function cutsOf(seconds: number, maxSeconds: number, turns: readonly Turn[]): number[] {
  const cuts: number[] = []
  for (let start = 0; seconds - start > maxSeconds; start = cuts.at(-1)!) {
    const latest = start + maxSeconds
    const earliest = latest - maxSeconds * SEARCH_SHARE
    cuts.push(longestPause(earliest, latest, turns) ?? latest)
  }
  return cuts
}

function longestPause(from: number, to: number, turns: readonly Turn[]): number | null {
  let best: { middle: number; length: number } | null = null
  let quietSince = from
  const consider = (until: number) => {
    const length = Math.min(until, to) - quietSince
    if (length > 0.2 && (best === null || length > best.length)) best = { middle: quietSince + length / 2, length }
  }
  for (const turn of turns.toSorted((one, other) => one.start - other.start)) {
    if (turn.end <= from || turn.start >= to) continue
    consider(turn.start)
    quietSince = Math.max(quietSince, turn.end)
  }
  consider(to)
  return (best as { middle: number } | null)?.middle ?? null
}
