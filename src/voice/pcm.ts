/** Sound as voices give it, in any format and rate, becomes sound that a microphone plays. */
import { spawn } from 'node:child_process'
import { CHILD_PATH } from '@standin/wire/process/child-path.ts'

/** More than half a minute of text takes at any pace; longer sound is a fault of the voice. Seconds. */
const MAX_SECONDS = 120

/**
 * Mono PCM, signed 16 bit little-endian, at `sampleRate` hertz. `rawRate`: the sound is mono samples of 32 bit floats at
 * this rate, else a file of a format that ffmpeg recognizes. Rejects with a sentence if it cannot be decoded.
 */
export async function pcmOf(
  sound: Uint8Array,
  { sampleRate, rawRate, signal }: { sampleRate: number; rawRate?: number; signal: AbortSignal },
): Promise<Buffer> {
  const raw = rawRate === undefined ? [] : ['-f', 'f32le', '-ar', String(rawRate), '-ac', '1']
  const format = ['-t', String(MAX_SECONDS), '-f', 's16le', '-ar', String(sampleRate), '-ac', '1', 'pipe:1']
  const child = spawn('ffmpeg', ['-v', 'error', ...raw, '-i', 'pipe:0', ...format], {
    env: { PATH: CHILD_PATH },
    stdio: ['pipe', 'pipe', 'ignore'],
    signal,
  })
  const ended = new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(null))
    child.on('close', resolve)
  })
  // It does not read on behind the end of what it understands.
  child.stdin.on('error', () => {})
  child.stdin.end(sound)
  const pieces: Buffer[] = []
  for await (const piece of child.stdout) pieces.push(piece)
  const exitCode = await ended
  signal.throwIfAborted()
  if (exitCode !== 0) throw new Error('The sound of the voice could not be decoded.')
  return Buffer.concat(pieces)
}
