/** What a screenshot shows: whose picture, and whether it is the recording's own composite or the platform's page. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Picture, pictureAt } from '../../media/meeting-recording.ts'

let count = 0

export async function pictureOf(screenshot: Uint8Array, folder: string): Promise<Picture> {
  const path = join(folder, `screenshot-${++count}.png`)
  writeFileSync(path, screenshot)
  return pictureAt(path, 0)
}

/** The composite's own background stands in all four corners of its picture. */
export function isComposite({ pixels }: Picture): boolean {
  const width = 160
  const height = 90
  const corners = [0, width - 1, (height - 1) * width, height * width - 1]
  return corners.every((index) => {
    const [red = 0, green = 0, blue = 0] = pixels.subarray(index * 3, index * 3 + 3)
    return Math.abs(red - 0x15) + Math.abs(green - 0x17) + Math.abs(blue - 0x1c) < 12
  })
}
