/** Pages that bots show in tests, and what a participant gets of them. */
import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { PageTarget } from '@standin/wire/bot-fields.ts'
import { OpusDecoder } from 'opus-decoder'
import { WebSocketServer } from 'ws'
import { barCodeCells, readFrameNumber } from '../../packages/mock/media/bar-code.ts'
import { median } from '../media/statistics.ts'

/** Hertz of the page's own sound. */
export const TONE = 1250
const CELLS = JSON.stringify(Array.from({ length: 512 }, (_, number) => barCodeCells(number).map(({ white }) => white)))
const PLACES = JSON.stringify(barCodeCells(0).map(({ left, top, width, height }) => [left, top, width, height]))

/** Bars count its pictures. */
export const PAINT = `
const pen = Object.assign(document.body.appendChild(document.createElement('canvas')), { width: 1280, height: 720 }).getContext('2d')
const [cells, places] = [${CELLS}, ${PLACES}]
let number = 0
function paint() {
  pen.fillStyle = '#334466'
  pen.fillRect(0, 0, 1280, 720)
  cells[number].forEach((white, place) => {
    const [left, top, width, height] = places[place]
    pen.fillStyle = white ? '#fff' : '#000'
    pen.fillRect(left * 1280, top * 720, width * 1280, height * 720)
  })
  number = (number + 1) % 512
}
paint()
`
export const SPEAK = `
const context = new AudioContext()
const tone = new OscillatorNode(context, { frequency: ${TONE} })
const gain = new GainNode(context, { gain: 0.3 })
tone.connect(gain).connect(context.destination)
tone.start()
`
/** Notes when it listens, and once it hears something. */
export const LISTEN = `
navigator.mediaDevices.getUserMedia({ audio: true }).then((stream) => {
  note('listens')
  const ear = new AudioContext()
  const analyser = new AnalyserNode(ear, { fftSize: 2048 })
  ear.createMediaStreamSource(stream).connect(analyser)
  const samples = new Float32Array(2048)
  const timer = setInterval(() => {
    analyser.getFloatTimeDomainData(samples)
    if (Math.max(...samples.map(Math.abs)) < 0.05) return
    clearInterval(timer)
    note('loud')
  }, 50)
})
`

const SCRIPTS: Readonly<Record<string, string>> = {
  '/moving': `${PAINT}setInterval(paint, 40);${SPEAK}`,
  '/beeps': `${PAINT}setInterval(paint, 40);${SPEAK}setInterval(() => { gain.gain.value = 0.3 - gain.gain.value }, 2500)`,
  '/still': PAINT,
  '/hang': `setTimeout(() => { for (;;); }, 500)`,
  '/loop': `location.reload()`,
  '/greedy': `const kept = []; setInterval(() => kept.push(new Uint8Array(16 * 2 ** 20).fill(1)), 100)`,
}

export interface PageServer {
  port: number
  address(path: string): string
  /** What pages posted, and hosts with paths that were asked for. */
  notes: string[]
  asked: string[]
  close(): void
}

/** `scripts` are further pages by path. */
export async function startPages(
  scripts: Readonly<Record<string, string | Promise<string>>> = {},
): Promise<PageServer> {
  const served: PageServer = {
    port: 0,
    address: (path) => `http://127.0.0.1:${served.port}${path}`,
    notes: [],
    asked: [],
    close: () => {},
  }
  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    served.asked.push(`${request.headers.host}${path}`)
    if (path === '/note') served.notes.push(Buffer.concat(await request.toArray()).toString())
    const to = /^\/redirect\?(.*)$/.exec(path)?.[1]
    if (to !== undefined) return response.writeHead(302, { location: to }).end()
    const script = await (scripts[path] ?? SCRIPTS[path])
    if (script === undefined) return response.writeHead(path === '/note' ? 204 : 404).end(path)
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(`<body style="margin:0;overflow:hidden"><script>${script}</script>`)
  })
  new WebSocketServer({ server })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  served.close = () => void server.close().closeAllConnections()
  served.port = (server.address() as AddressInfo).port
  return served
}

interface Bot {
  savedCamera(of?: PageTarget): Promise<Uint8Array | null>
  savedVoice(): readonly { opus: Uint8Array; at: number }[]
}

/** Numbers of the pictures that the participant was sent last, with their size; null for a picture without bars. */
export async function pictures(
  bot: Bot,
  target?: PageTarget,
): Promise<{ width: number; height: number; numbers: (number | null)[] }> {
  const camera = await bot.savedCamera(target)
  if (camera === null) return { width: 0, height: 0, numbers: [] }
  const folder = mkdtempSync(join(tmpdir(), 'standin-camera-'))
  try {
    const path = join(folder, 'camera.ivf')
    writeFileSync(path, camera)
    // The mock of the meeting may live in this process.
    const run = promisify(execFile)
    const { stdout: size } = await run('ffprobe', [
      '-v',
      'error',
      '-show_entries',
      'stream=width,height',
      '-of',
      'csv=p=0',
      path,
    ])
    const [width = 0, height = 0] = size.trim().split(',').map(Number)
    const decoding = [
      '-v',
      'error',
      '-i',
      path,
      '-fps_mode',
      'passthrough',
      '-f',
      'rawvideo',
      '-pix_fmt',
      'gray',
      'pipe:1',
    ]
    const { stdout: pixels } = await run('ffmpeg', decoding, { maxBuffer: 2 ** 30, encoding: 'buffer' })
    const numbers = Array.from({ length: pixels.length / (width * height) }, (_, index) =>
      readFrameNumber((x, y) => pixels[(index * height + Math.floor(y * height)) * width + Math.floor(x * width)]!),
    )
    return { width, height, numbers }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Level of a frequency in the last second that the participant was sent; 1 is the loudest possible. */
export async function levelOf(bot: Bot, frequency: number): Promise<number> {
  const packets = bot.savedVoice().slice(-50)
  if (packets.length === 0) return 0
  const decoder = new OpusDecoder({ channels: 1 })
  await decoder.ready
  const { channelData, samplesDecoded } = decoder.decodeFrames(packets.map(({ opus }) => opus))
  decoder.free()
  return levelIn(channelData[0]!.subarray(0, samplesDecoded), frequency, 48_000)
}

/** How much of a PNG has the colour of the page's ground, from 0 to 1. */
export function groundIn(png: Uint8Array): number {
  const scaling = [
    '-v',
    'error',
    '-i',
    'pipe:0',
    '-vf',
    'scale=160:90',
    '-f',
    'rawvideo',
    '-pix_fmt',
    'rgb24',
    'pipe:1',
  ]
  const pixels = execFileSync('ffmpeg', scaling, { input: png })
  const isGround = (_: unknown, index: number) =>
    [0x33, 0x44, 0x66].every((value, color) => Math.abs(pixels[3 * index + color]! - value) < 12)
  return Array.from({ length: 160 * 90 }).filter(isGround).length / (160 * 90)
}

/** The same of mono sound: the usual level of its stretches of 20 ms, since a lost one shifts the wave. */
export function levelIn(samples: Float32Array, frequency: number, rate: number): number {
  const size = Math.round(rate / 50)
  const levels = Array.from({ length: Math.floor(samples.length / size) }, (_, piece) => {
    let [sine, cosine] = [0, 0]
    for (let index = piece * size; index < (piece + 1) * size; index++) {
      const angle = (2 * Math.PI * frequency * index) / rate
      sine += samples[index]! * Math.sin(angle)
      cosine += samples[index]! * Math.cos(angle)
    }
    return (2 * Math.hypot(sine, cosine)) / size
  })
  return median(levels)
}
