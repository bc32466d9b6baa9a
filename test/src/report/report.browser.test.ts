/** The report in a real browser: opened as a file, as people do. */

import { pathToFileURL } from 'node:url'
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeReport } from '../../../src/report/index.ts'
import { HEADLESS_SHELL } from '../../headless-shell.ts'
import { addVideo, FACTS, HOSTILE, recordingFolder } from './recording-folder.ts'

let browser: Browser
const folder = recordingFolder()
beforeAll(async () => {
  addVideo(folder)
  await writeReport(folder, FACTS)
  browser = await chromium.launch({ executablePath: HEADLESS_SHELL, args: ['--no-sandbox'] })
})
afterAll(() => browser.close())

async function openReport(options: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options })
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  await page.goto(`${pathToFileURL(folder)}/report.html`)
  await page.waitForFunction(() => Number(document.querySelector('video')?.duration) > 19)
  expect(complaints).toEqual([])
  return page
}

const time = (page: Page) => page.evaluate(() => document.querySelector('video')?.currentTime ?? -1)

test('a press on a moment and on the timeline leads there, and the moment that plays is marked', async () => {
  const page = await openReport()
  expect(await page.locator('.lane').count()).toBe(3)
  await page.locator('.line', { hasText: 'spoke for 0:12' }).click()
  await expect.poll(() => time(page)).toBeGreaterThan(5.9)
  await expect.poll(() => page.locator('.lines [aria-current]').textContent()).toContain('0:06')
  await page.evaluate(() => document.querySelector('video')?.pause())
  const tracks = await page.locator('.tracks').boundingBox()
  await page.mouse.click(tracks!.x + tracks!.width * 0.75, tracks!.y + 10)
  await expect.poll(() => time(page)).toBeCloseTo(15, 0)
})

test('the keyboard moves along the timeline, which says where it is and who speaks', async () => {
  const page = await openReport()
  const slider = page.getByRole('slider', { name: 'Position in the recording' })
  await slider.focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('0:10, Ann Berg speaking')
  await page.keyboard.press('Home')
  await expect.poll(() => time(page)).toBe(0)
})

test('search leaves what fits and marks it; Enter goes to the first', async () => {
  const page = await openReport()
  await page.keyboard.press('/')
  await page.keyboard.type('look')
  await expect.poll(() => page.locator('.found').textContent()).toBe('1 of 9')
  expect(await page.locator('.lines li:visible').count()).toBe(1)
  expect(await page.locator('mark').allTextContents()).toEqual(['Look'])
  await page.keyboard.press('Enter')
  await expect.poll(() => time(page)).toBeGreaterThanOrEqual(7)
  await page.keyboard.press('Escape')
  await expect.poll(() => page.locator('.lines li:visible').count()).toBe(9)
})

test('names and messages are text; chat shows what became of its messages, and an address as it is', async () => {
  const page = await openReport()
  expect(await page.locator('table').textContent()).toContain(HOSTILE)
  expect(await page.locator('img').count()).toBe(0)
  const row = page.locator('.lines li', { hasText: 'Your bank has the plan' })
  expect(await row.locator('b').textContent()).toBe('Ann Berg (chat, direct, edited)')
  expect(await row.locator('.attachments').textContent()).toContain('In reply to Standin: Hello')
  expect(await row.locator('a').allTextContents()).toEqual(['https://elsewhere.example/'])
  expect(await row.locator('.attachments').textContent()).toContain('12 kB')
  expect(await row.locator('.reactions span').allTextContents()).toEqual(['👍 2'])
  expect(await page.locator('.lines li', { hasText: 'The message was deleted.' }).count()).toBe(1)
  expect(await page.locator('.lines bdi.soft', { hasText: /hand|reacted/ }).allTextContents()).toEqual([
    expect.stringContaining('raised a hand'),
    expect.stringContaining('reacted with 🎉'),
  ])
  expect(await page.locator('.lane .sign').count()).toBe(1)
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
})

test.each(['light', 'dark'] as const)(
  'the %s report fits its screen, and axe finds nothing in it',
  async (colorScheme) => {
    for (const width of [390, 1280]) {
      // The policy of the report allows only its own script, and axe is another one.
      const page = await openReport({ viewport: { width, height: 900 }, colorScheme, bypassCSP: true })
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
      const [text, ground] = await page.evaluate(() => {
        const { color, backgroundColor } = getComputedStyle(document.body)
        return [color, backgroundColor].map((value) => Number(/\d+/.exec(value)?.[0]))
      })
      expect(text! > ground!).toBe(colorScheme === 'dark')
      const { violations, passes } = await new AxeBuilder({ page }).setLegacyMode().analyze()
      expect(passes.length).toBeGreaterThan(10)
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`)).toEqual([])
      await page.close()
    }
  },
)

test('the title names platform, meeting and time with its zone, and the player shows the poster until it plays', async () => {
  const page = await openReport()
  expect(await page.title()).toBe('Google Meet abc-defg-hij – Saturday, November 21, 2026 at 9:30 AM UTC')
  expect(await page.locator('h1').textContent()).toBe('Google Meet abc-defg-hij')
  const width = page.locator('video').evaluate(async (video) => {
    const image = Object.assign(new Image(), { src: (video as HTMLVideoElement).poster })
    await image.decode()
    return image.naturalWidth
  })
  expect(await width).toBe(320)
})
