/**
 * `node bench/experiments/encoders.ts`: what one second of a recording costs in each step and setting of the encoder that was
 * considered, as CPU time of ffmpeg on a camera picture of the mock meeting, without capture and without a browser.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { frameCount, type PictureSpec, picturePainter } from '../../mock/media/pictures.ts'
import { markdown } from '../shared/table.ts'

const run = promisify(execFile)
const PICTURE: PictureSpec = { kind: 'camera', look: 0, text: 'A', width: 1280, height: 720, fps: 24, flash: false }
/** Runs of each. The cheapest run counts, because other programs of this machine only add time. */
const TRIES = 3
const RAW = ['-f', 'rawvideo', '-video_size', '1280x720', '-framerate', '24']
const X264 = ['-c:v', 'libx264', '-crf', '24', '-bf', '0', '-g', '48', '-sc_threshold', '0']
const SOUND_SECONDS = 20
const TEXT = 'People come to a meeting to talk about what was done, and about what has to be done next. '.repeat(6)
const OUT = ['-movflags', '+frag_keyframe+empty_moov', '-f', 'mp4', '-y', '/dev/null']

const folder = mkdtempSync(join(tmpdir(), 'standin-encoders-'))
const yuv = join(folder, 'picture.yuv')
const rgb = join(folder, 'picture.bgr0')
try {
  await writePictures()
  const fromScreen = [...RAW, '-pix_fmt', 'bgr0', '-i', rgb]
  const fromYuv = [...RAW, '-pix_fmt', 'yuv420p', '-i', yuv]
  const sounds = {
    'a voice': `flite=voice=slt:text='${TEXT}',aresample=48000`,
    'a tone': `sine=300:sample_rate=48000:duration=${SOUND_SECONDS}`,
  }
  const none = ['-f', 'null', '-']
  const seconds = frameCount(PICTURE) / PICTURE.fps
  const screenRead = await cost([...fromScreen, '-c:v', 'wrapped_avframe', ...none], seconds)
  const yuvRead = await cost([...fromYuv, '-c:v', 'wrapped_avframe', ...none], seconds)
  const lines: string[][] = []
  const add = async (name: string, arguments_: string[], length: number, read: number) =>
    lines.push([name, (((await cost(arguments_, length)) - read) * 1000).toFixed(0)])
  for (const [name, filter] of [
    ['colors: ffmpeg’s general way', 'scale=flags=bicubic,format=yuv420p'],
    ['colors: fast_bilinear', 'scale=flags=fast_bilinear,format=yuv420p'],
    ['colors: over bgr24 (used)', 'format=bgr24,format=yuv420p'],
  ] as const) {
    const to = ['-filter_threads', '1', '-vf', filter, '-c:v', 'wrapped_avframe']
    await add(name, [...fromScreen, ...to, ...none], seconds, screenRead)
  }
  for (const [name, ...more] of [
    ['ultrafast'],
    ['superfast'],
    ['superfast', '-subq', '0'],
    ['veryfast'],
    ['fast'],
  ] as const) {
    const isUsed = more.length > 0 ? ', subq 0 (used)' : ''
    const to = [...X264, '-preset', name, ...more, '-threads', '2', ...OUT]
    await add(`x264 ${name}${isUsed}`, [...fromYuv, ...to], seconds, yuvRead)
  }
  for (const [sound, source] of Object.entries(sounds)) {
    const read = ['-f', 'lavfi', '-i', source, '-t', String(SOUND_SECONDS), '-ac', '2']
    const heard = await cost([...read, ...none], SOUND_SECONDS)
    for (const coder of ['twoloop', 'fast']) {
      const isUsed = coder === 'fast' ? ' (used)' : ''
      const to = ['-c:a', 'aac', '-aac_coder', coder, '-b:a', '128k', ...OUT]
      await add(`AAC of ${sound}, stereo, ${coder}${isUsed}`, [...read, ...to], SOUND_SECONDS, heard)
    }
  }
  console.log(markdown(['step', 'milliseconds of CPU for one second'], lines).join('\n'))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** One loop, as the recorder's x11grab hands it over and as the encoder gets it. */
async function writePictures(): Promise<void> {
  const child = execFile('ffmpeg', [
    ...['-v', 'error', ...RAW, '-pix_fmt', 'yuv420p', '-i', 'pipe:0', '-pix_fmt', 'bgr0', '-f', 'rawvideo', rgb],
    ...['-pix_fmt', 'yuv420p', '-f', 'rawvideo', yuv],
  ])
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const paint = picturePainter(PICTURE)
  for (let frame = 0; frame < frameCount(PICTURE); frame++) {
    if (!child.stdin!.write(Buffer.from(paint(frame)))) {
      await new Promise((resolve) => child.stdin!.once('drain', resolve))
    }
  }
  child.stdin!.end()
  await ended
}

/** Seconds of CPU for one second of media. */
async function cost(arguments_: string[], mediaSeconds: number): Promise<number> {
  const all: number[] = []
  for (let n = 0; n < TRIES; n++) {
    const { stderr } = await run('ffmpeg', ['-hide_banner', '-nostats', '-benchmark', ...arguments_])
    const [, user = '', system = ''] = /utime=([\d.]+)s stime=([\d.]+)s/.exec(stderr) ?? []
    all.push((Number(user) + Number(system)) / mediaSeconds)
  }
  return Math.min(...all)
}
