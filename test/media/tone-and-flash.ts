import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openXWindow, type Rectangle } from './x-window.ts'

/** The picture and sound of the source; the probe looks for exactly these. */
export const SOURCE = {
  periodSeconds: 2,
  lengthSeconds: 0.3,
  toneHertz: 1000,
  /** The part of the picture that turns white, and is dark otherwise. */
  flash: { x: 0, y: 0, width: 1280, height: 600 },
  /**
   * The clock in the picture: hundredths of a second since 1970, modulo 2^24, in Gray code (one square changes at a
   * time, so that no half-painted number is ever captured), lowest bit first, white for 1.
   */
  counter: { x: 64, y: 656, square: 48, bits: 24, stepMs: 10 },
} as const

export interface ToneAndFlash {
  /** UTC milliseconds at which the flashes so far were painted, newest last; a busy machine paints late. */
  flashes: readonly number[]
  /** UTC milliseconds at which the beep nearest to an instant is heard, and its flash meant. */
  beatNear(instant: number): number
  /** Resolves once its clock is settled. */
  running(): Promise<void>
  /** Makes the sound silent from now on, or audible again. */
  mute(isMuted: boolean): void
  close(): void
}

const SAMPLE_RATE = 48_000
const BYTES_PER_FRAME = 4
/**
 * How much sound the server holds, and how far ahead of what is heard it is written: a busy machine stalls programs.
 */
const SERVER_BUFFER_MS = 2_000
const AHEAD_SECONDS = 4
const SILENCE = Buffer.alloc(0.1 * SAMPLE_RATE * BYTES_PER_FRAME)
const REPORTS_KEPT = 101
const REPORTS_TO_SETTLE = 10

/**
 * Beeps into a Pulse sink and flashes on an X display at the same instant, every two seconds. The instant comes from
 * the
 * sound: `pacat` reports which moment of the stream is heard now, and the picture follows. Without a display it only
 * beeps.
 */
export async function startToneAndFlash(options: {
  display: string | null
  displayAuthority?: string
  pulseServer: string
  pulseSink: string
  periodSeconds?: number
}): Promise<ToneAndFlash> {
  const period = options.periodSeconds ?? SOURCE.periodSeconds
  const window =
    options.display === null ? null : await openXWindow(options.display, 1280, 720, options.displayAuthority)
  const format = [`--rate=${SAMPLE_RATE}`, '--channels=2', '--format=s16le', `--latency-msec=${SERVER_BUFFER_MS}`]
  const place = [`--server=unix:${options.pulseServer}`, `--device=${options.pulseSink}`]
  const player = spawn('pacat', ['--playback', '--verbose', '--raw', ...place, ...format], {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent', LC_ALL: 'C' },
  })
  player.stdin.on('error', () => {
    // The server may be killed by the test; then nothing is heard any more.
  })

  let isMuted = false
  let writtenSeconds = 0
  /** UTC milliseconds at which the stream's second 0 was heard. */
  let heardOrigin: number | null = null
  const feed = () => {
    const wanted = heardOrigin === null ? AHEAD_SECONDS : (Date.now() - heardOrigin) / 1000 + AHEAD_SECONDS
    while (writtenSeconds < wanted) {
      player.stdin.write(isMuted ? SILENCE : sound(writtenSeconds, 0.1, period))
      writtenSeconds = Math.round((writtenSeconds + 0.1) * 10) / 10
    }
  }

  const origins: number[] = []
  const settled = Promise.withResolvers<void>()
  let text = ''
  player.stderr.on('data', (chunk: Buffer) => {
    const now = precise()
    text = (text + chunk.toString('latin1')).slice(-300)
    const heard = [...text.matchAll(/Time: ([\d.]+) sec; Latency: \d+ usec\./g)].at(-1)?.[1]
    if (heard === undefined || Number(heard) < 0.5) return
    text = ''
    // About ten reports a second, right within a millisecond; those that a busy machine reads late are outliers.
    origins.push(now - Number(heard) * 1000)
    if (origins.length > REPORTS_KEPT) origins.shift()
    if (origins.length >= REPORTS_TO_SETTLE) settled.resolve()
    heardOrigin = [...origins].sort((a, b) => a - b)[Math.floor(origins.length / 2)]!
  })

  const flashes: number[] = []
  let shownCode = 0
  let isWhite = false
  const paint = () => {
    if (window === null || heardOrigin === null) return
    const heard = (precise() - heardOrigin) / 1000
    const white = heard % period < SOURCE.lengthSeconds && heard >= 1
    if (white !== isWhite) {
      window.fill(white ? 0xffffff : 0x202020, [SOURCE.flash])
      isWhite = white
      if (white) flashes.push(Date.now())
    }
    const code = clockCode(precise())
    for (let bit = 0; bit < SOURCE.counter.bits; bit++) {
      if (((code ^ shownCode) >> bit) & 1) window.fill((code >> bit) & 1 ? 0xffffff : 0x000000, [square(bit)])
    }
    shownCode = code
  }
  window?.fill(0x202020, [{ x: 0, y: 0, width: 1280, height: 720 }])
  window?.fill(0x000000, [...Array(SOURCE.counter.bits).keys()].map(square))
  feed()
  const feeding = setInterval(feed, 100)
  const painting = setInterval(paint, 1)

  return {
    flashes,
    beatNear(instant) {
      const origin = heardOrigin ?? Number.NaN
      return origin + Math.round((instant - origin) / (period * 1000)) * period * 1000
    },
    async running() {
      await Promise.race([settled.promise, once(player, 'exit').then(() => Promise.reject(new Error('pacat ended')))])
    },
    mute(muted) {
      isMuted = muted
    },
    close() {
      clearInterval(feeding)
      clearInterval(painting)
      window?.close()
      player.kill('SIGKILL')
    },
  }
}

function precise(): number {
  return performance.timeOrigin + performance.now()
}

/** The code that the clock in the picture shows at an instant. */
function clockCode(at: number): number {
  const steps = Math.floor(at / SOURCE.counter.stepMs) % 2 ** SOURCE.counter.bits
  return steps ^ (steps >> 1)
}

function square(bit: number): Rectangle {
  const { x, y, square: size } = SOURCE.counter
  return { x: x + bit * size, y, width: size, height: size }
}

function sound(startSeconds: number, seconds: number, period: number): Buffer {
  const frames = Math.round(seconds * SAMPLE_RATE)
  const pcm = Buffer.alloc(frames * BYTES_PER_FRAME)
  for (let index = 0; index < frames; index++) {
    const at = startSeconds + index / SAMPLE_RATE
    if (at < 1 || at % period >= SOURCE.lengthSeconds - 1e-9) continue
    const value = Math.round(Math.sin(2 * Math.PI * SOURCE.toneHertz * at) * 16_000)
    pcm.writeInt16LE(value, index * BYTES_PER_FRAME)
    pcm.writeInt16LE(value, index * BYTES_PER_FRAME + 2)
  }
  return pcm
}
