import { join } from 'node:path'
import { build } from 'esbuild'
import { type Browser, chromium, type Page } from 'playwright'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { packageRoot } from '../../../../../packages/core/process/page-scripts.ts'
import { HEADLESS_SHELL } from '../../../../headless-shell.ts'

declare const tested: typeof import('../../../../../platforms/shared/page/dom/slow-animations.ts')

const MARKUP = `<style>
  @keyframes turn { to { transform: rotate(360deg) } }
  @keyframes come { from { opacity: 0 } to { opacity: 1 } }
  .turns { animation: turn 4s linear infinite }
  .waves::after { content: ''; animation: come 3s infinite alternate }
  .comes { animation: come 50ms }
</style><p id="first" class="turns">first</p><p id="other">other</p>`

let script: string
let browser: Browser
let page: Page
beforeAll(async () => {
  const entry = join(packageRoot, 'platforms/shared/page/dom/slow-animations.ts')
  const options = { bundle: true, write: false, format: 'iife', globalName: 'tested' } as const
  const { outputFiles } = await build({ entryPoints: [entry], ...options })
  script = outputFiles[0]!.text
  browser = await chromium.launch({ executablePath: HEADLESS_SHELL, args: ['--no-sandbox'] })
  page = await browser.newPage()
})
beforeEach(async () => {
  await page.goto('about:blank')
  await page.setContent(MARKUP)
  await page.addScriptTag({ content: script })
  await page.evaluate(() => tested.slowAnimations())
})
afterAll(() => browser?.close())

/** How many animations the browser itself moves. */
const running = () =>
  page.evaluate(() => document.getAnimations().filter(({ playState }) => playState === 'running').length)
const angle = () => page.evaluate(() => getComputedStyle(document.getElementById('first')!).transform)

test('an endless animation moves in steps, without the browser running it', async () => {
  expect(await running()).toBe(0)
  const before = await angle()
  await expect.poll(angle).not.toBe(before)
  expect(await running()).toBe(0)
})

test('those that begin later are slowed as well, of a class, of a pseudo-element and of a script', async () => {
  await page.evaluate(() => {
    const other = document.getElementById('other')!
    other.className = 'turns waves'
    other.animate([{ width: '10px' }, { width: '20px' }], { duration: 1000, iterations: Number.POSITIVE_INFINITY })
  })
  await expect.poll(() => page.evaluate(() => document.getAnimations().length)).toBe(4)
  await expect.poll(running).toBe(0)
})

test('an animation that ends by itself runs, and the page learns of its end', async () => {
  const ended = page.evaluate(
    () => new Promise((resolve) => addEventListener('animationend', (event) => resolve(event.animationName))),
  )
  await page.evaluate(() => document.getElementById('other')!.classList.add('comes'))
  expect(await ended).toBe('come')
})

test('an animation that the page plays itself is slowed again, and one that it removes is gone', async () => {
  await page.evaluate(() => document.getElementById('first')!.getAnimations()[0]!.play())
  await expect.poll(running).toBe(0)
  await page.evaluate(() => document.getElementById('first')!.classList.remove('turns'))
  expect(await page.evaluate(() => document.getAnimations().length)).toBe(0)
  expect(await angle()).toBe('none')
})

test('neither elements nor styles of the page change', async () => {
  const look = () => page.evaluate(() => document.documentElement.outerHTML + document.adoptedStyleSheets.length)
  const before = await look()
  const turned = await angle()
  await expect.poll(angle).not.toBe(turned)
  expect(await look()).toBe(before)
})
