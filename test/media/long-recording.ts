/**
 * Recordings of any length, faster than they would take: a few seconds of real encoder output, again and again, through
 * the recorder's own code. Each clip shows its number, and clips follow each other in an order that tells every place.
 */
import type { Page } from 'playwright'
import type { GrowingFile } from '../../packages/core/recording.ts'
import { readFrameNumber } from '../../packages/mock/media/bar-code.ts'
import { type Grow, Recording } from '../../recorder/recording.ts'
import { makeSpan } from './spans.ts'

export interface Clips {
  seconds: number
  spans: Buffer[]
}

export async function makeClips(
  count: number,
  size: { width: number; height: number; seconds: number; crf?: number },
): Promise<Clips> {
  const spans: Buffer[] = []
  for (let number = 0; number < count; number++) {
    spans.push(await makeSpan({ number, ...size, tone: 200 + 20 * number }))
  }
  return { seconds: size.seconds, spans }
}

/** Which clip is at this place of the recording; never the same one twice in a row. */
export function clipAt(index: number, count: number): number {
  const round = Math.floor(index / count)
  return (index * 7 + round * 11) % count
}

/**
 * Feeds the clips until the recording has the length; what is on its way to its place stays as little as in a meeting.
 */
export async function feedLong(
  clips: Clips,
  seconds: number,
  grow: Grow,
  reserveSeconds = 4 * 3600 + 60,
): Promise<Recording> {
  const files: GrowingFile[] = []
  const recording = new Recording({
    hasPicture: true,
    framesPerSecond: 30,
    reserveSeconds,
    grow: async (start) => {
      files.push(await grow(start))
      return files.at(-1)!
    },
  })
  for (let index = 0; index * clips.seconds < seconds; index++) {
    await recording.openSpan()(clips.spans[clipAt(index, clips.spans.length)]!)
    await recording.closeSpan()
    while (recording.bytes - files[0]!.storedBytes() > MAX_BYTES_AHEAD) await new Promise((done) => setTimeout(done, 5))
  }
  return recording
}

/** A part that fills, and a part that is sent. */
const MAX_BYTES_AHEAD = 16 * 1024 * 1024

/** The numbers on the pictures that Chromium shows of a film at some seconds, each after a seek. */
export async function numbersShown(page: Page, url: string, seeks: readonly number[]): Promise<(number | null)[]> {
  await page.goto(url)
  await page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) >= 2)
  const shown: (number | null)[] = []
  for (const seconds of seeks) {
    const brightness = await page.evaluate(async (at) => {
      const video = document.querySelector('video')!
      video.pause()
      await new Promise<void>((resolve, reject) => {
        // `seeked` is no sign: it can come before the frame that it is about.
        const look: VideoFrameRequestCallback = (_, { mediaTime }) => {
          if (Math.abs(mediaTime - at) < 0.5) resolve()
          else video.requestVideoFrameCallback(look)
        }
        video.requestVideoFrameCallback(look)
        video.addEventListener('error', () => reject(new Error(video.error?.message)), { once: true })
        video.currentTime = at
      })
      const canvas = Object.assign(document.createElement('canvas'), { width: 160, height: 90 })
      const context = canvas.getContext('2d')!
      context.drawImage(video, 0, 0, 160, 90)
      const { data } = context.getImageData(0, 0, 160, 90)
      return Array.from({ length: 160 * 90 }, (_, pixel) => data[pixel * 4 + 1]!)
    }, seconds)
    shown.push(readFrameNumber((x, y) => brightness[Math.floor(y * 90) * 160 + Math.floor(x * 160)]!))
  }
  return shown
}

export function lengthShown(page: Page): Promise<number> {
  return page.evaluate(() => document.querySelector('video')!.duration)
}
