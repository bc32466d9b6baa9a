/**
 * Reads a screenshot: whose picture it shows, and whether it is the composite of the recording or the platform's page.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Picture, pictureAt } from '../../media/meeting-recording.ts'

let count = 0

export async function pictureOf(screenshot: Uint8Array, folder: string): Promise<Picture> {
  const path = join(folder, `screenshot-${++count}.png`)
  writeFileSync(path, screenshot)
  return pictureAt(path, 0)
}

/** The background of the composite is in all four corners of its picture. */
export function isComposite({ pixels }: Picture): boolean {
  const width = 160
  const height = 90
  const corners = [0, width - 1, (height - 1) * width, height * width - 1]
  return corners.every((index) => {
    const [red = 0, green = 0, blue = 0] = pixels.subarray(index * 3, index * 3 + 3)
    return Math.abs(red - 0x15) + Math.abs(green - 0x17) + Math.abs(blue - 0x1c) < 12
  })
}

/** A small PNG of one colour, such as `#ff0000`, as a data: URL. */
export function pictureOfColor(color: string): string {
  const source = ['-f', 'lavfi', '-i', `color=c=${color.replace('#', '0x')}:s=160x90`, '-frames:v', '1']
  const png = execFileSync('ffmpeg', ['-v', 'error', ...source, '-f', 'image2pipe', '-c:v', 'png', 'pipe:1'])
  return `data:image/png;base64,${png.toString('base64')}`
}

/** The colour that is strongest in the last picture that a camera sent; null if there is none. */
export function strongest(camera: Uint8Array | null, folder: string): 'red' | 'green' | 'blue' | null {
  if (camera === null) return null
  const path = join(folder, `camera-${++count}`)
  writeFileSync(path, camera)
  const decoding = ['-v', 'error', '-i', path, '-fps_mode', 'passthrough', '-vf', 'scale=1:1']
  const pixels = execFileSync('ffmpeg', [...decoding, '-f', 'rawvideo', '-pix_fmt', 'rgb24', 'pipe:1'])
  const last = [...pixels.subarray(-3)]
  return (['red', 'green', 'blue'] as const)[last.indexOf(Math.max(...last))] ?? null
}
