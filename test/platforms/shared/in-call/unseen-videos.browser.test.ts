import { type Browser, chromium, type Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { leaveVideosUnpainted, SEEN_VIDEOS } from '../../../../platforms/shared/in-call/unseen-videos.ts'
import { HEADLESS_SHELL } from '../../../headless-shell.ts'

let browser: Browser
let page: Page

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: HEADLESS_SHELL })
  page = await browser.newPage({ viewport: { width: 320, height: 180 } })
  await page.setContent('<body style="margin:0"><video muted style="width:320px;height:180px"></video>')
  await page.evaluate(async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 320, height: 180 })
    const pen = canvas.getContext('2d')!
    setInterval(() => {
      pen.fillStyle = `rgb(${200 + (Date.now() % 50)} 0 0)`
      pen.fillRect(0, 0, 320, 180)
    }, 50)
    const video = document.querySelector('video')!
    video.srcObject = canvas.captureStream(10)
    await video.play()
  })
})

afterAll(() => browser.close())

test('videos are not painted, stay in place and keep playing, and a screenshot shows them', async () => {
  await expect.poll(() => isRed()).toBe(true)
  await leaveVideosUnpainted(page.mainFrame())
  await expect.poll(() => isRed()).toBe(false)
  const before = await currentTime()
  await expect.poll(() => currentTime()).toBeGreaterThan(before)
  expect(await page.locator('video').evaluate((video) => video.clientWidth)).toBe(320)
  await expect.poll(() => isRed(SEEN_VIDEOS)).toBe(true)
})

/** Whether the middle of the page is red, read back by the page itself from a screenshot. */
async function isRed(style?: string): Promise<boolean> {
  const png = (await page.screenshot(style === undefined ? {} : { style })).toString('base64')
  return page.evaluate(async (data) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob())
    const pen = new OffscreenCanvas(image.width, image.height).getContext('2d')!
    pen.drawImage(image, 0, 0)
    const [red = 0, green = 255] = pen.getImageData(160, 90, 1, 1).data
    return red > 150 && green < 60
  }, png)
}

function currentTime(): Promise<number> {
  return page.evaluate(() => document.querySelector('video')!.currentTime)
}
