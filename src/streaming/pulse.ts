/** Raw sound from and to the sound server, each by a separate supervised ffmpeg. */

import { CHILD_PATH } from '@standin/wire/process/child-path.ts'
import { CAPTURE_SAMPLE_RATE } from '../../packages/core/meeting/capture-sample-rate.ts'
import type { CaptureEnvironment } from '../../packages/core/ports.ts'
import { type Supervised, supervise } from '../../packages/core/process/supervised.ts'
import { messageBytes } from './messages.ts'

/** Bytes of 10 ms of sound: smaller fragments would wake ffmpeg more often and hardly reduce the latency. */
const FRAGMENT_BYTES = (CAPTURE_SAMPLE_RATE * 2 * 2) / 100
/** Buffer of the bot's voice in the sound server. */
const VOICE_BUFFER_MS = 80

const QUIET = ['-hide_banner', '-nostats', '-loglevel', 'warning']

/** The child does not inherit our environment, which may hold secrets. */
function childEnvironment(folder: string): Record<string, string> {
  return { PATH: CHILD_PATH, HOME: folder, TMPDIR: folder, XDG_RUNTIME_DIR: folder, LC_ALL: 'C' }
}

/**
 * Hears the meeting: `listener` gets messages of `messageMs`, default 100 ms, mono, signed 16 bit little-endian.
 * -probesize and -analyzeduration are cut short, because probing swallows the first seconds; -fragment_size keeps the
 * sound server from gathering more; -flush_packets hands on every packet.
 */
export async function captureSink(
  environment: CaptureEnvironment,
  sampleRate: number,
  folder: string,
  listener: (message: Buffer) => void,
  messageMs?: number,
): Promise<Supervised> {
  const child = await supervise({
    name: 'sound for streaming',
    command: 'ffmpeg',
    args: [
      ...QUIET,
      ...['-nostdin', '-probesize', '32', '-analyzeduration', '0', '-fflags', 'nobuffer'],
      ...['-f', 'pulse', '-server', `unix:${environment.pulseServer}`],
      ...['-sample_rate', String(CAPTURE_SAMPLE_RATE), '-channels', '2'],
      ...['-fragment_size', String(FRAGMENT_BYTES), '-i', `${environment.pulseSink}.monitor`],
      ...['-ac', '1', '-ar', String(sampleRate), '-f', 's16le', '-flush_packets', '1', 'pipe:1'],
    ],
    env: childEnvironment(folder),
    binaryStdout: true,
  })
  const cut = createCutter(messageBytes(sampleRate, messageMs), listener)
  child.stdout!.on('data', cut)
  return child
}

/**
 * Says something into the recording: what is written to its standard input, mono at this rate. Resolves when the sound server
 * plays it: ffmpeg reads the first sound before it connects, so it gets a moment of silence.
 */
export function speakIntoRecording(
  environment: CaptureEnvironment & { voiceSink: string },
  sampleRate: number,
  folder: string,
): Promise<Supervised> {
  const connected = Promise.withResolvers<void>()
  return supervise({
    name: 'own voice',
    command: 'ffmpeg',
    args: [
      ...['-hide_banner', '-nostats', '-loglevel', 'info'],
      ...['-probesize', '32', '-analyzeduration', '0', '-fflags', 'nobuffer'],
      ...['-f', 's16le', '-ar', String(sampleRate), '-ac', '1', '-i', 'pipe:0'],
      ...['-f', 'pulse', '-server', `unix:${environment.pulseServer}`, '-device', environment.voiceSink],
      ...['-buffer_duration', String(VOICE_BUFFER_MS), '-name', 'standin', 'own voice'],
    ],
    env: childEnvironment(folder),
    stdin: true,
    lines: { 2: (line) => line.startsWith('Output #0') && connected.resolve() },
    ready: (child) => {
      child.stdin!.write(Buffer.alloc(messageBytes(sampleRate)))
      return connected.promise
    },
  })
}

/** Cuts a stream of bytes into messages of one size. */
export function createCutter(size: number, listener: (message: Buffer) => void): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  return (bytes) => {
    rest = rest.byteLength === 0 ? bytes : Buffer.concat([rest, bytes])
    for (; rest.byteLength >= size; rest = rest.subarray(size)) listener(Buffer.from(rest.subarray(0, size)))
  }
}
