import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Kiosk, near, openKiosk, pixelsOf, type Rgb, type Screen } from '../../kiosk.ts'
import type { FakeTile, Harness } from './composite.entry.ts'

declare const harness: Harness
declare const heard: string[]

/** The color of the whole page, so that one screenshot shows whether any part of it is visible. */
const PAGE_COLOR: Rgb = [255, 0, 255]
const GROUND: Rgb = [21, 23, 28]
const INITIALS: Rgb = [35, 38, 46]
const RED: Rgb = [192, 0, 0]
const GREEN: Rgb = [0, 160, 0]
const BLUE: Rgb = [0, 0, 192]
const ANN: FakeTile = { id: 'ann', color: GREEN }
const MIDDLE = { x: 440, y: 160, width: 400, height: 400 }

const HTML = `<!doctype html>
<html lang="en"><head><link rel="stylesheet" href="/page.css"></head><body>
  <main>
    <button id="plain">Plain</button>
    <button id="modal">Modal</button>
    <button id="declared" popovertarget="pop">Popover</button>
    <button id="full">Fullscreen</button>
  </main>
  <dialog id="dialog"><button id="inside">Inside</button></dialog>
  <div id="pop" popover><button id="within">Within</button></div>
  <div id="auto" popover="auto">Auto</div>
  <div id="tree"></div>
  <script src="/page.js"></script>
</body></html>`

const CSS = `* { background: #f0f !important; color: #f0f !important; border-color: #f0f !important; z-index: 2147483647 }
  ::backdrop { background: #f0f !important; opacity: 1 !important }
  html, body { height: 100%; margin: 0; opacity: .9; filter: invert(0) }
  div { display: none !important; position: static !important; width: 1px !important; opacity: 0 !important }
  dialog:modal, :popover-open { display: block !important; opacity: 1 !important; width: 500px !important; height: 400px }
  button { width: 120px; height: 40px; background: #f0f !important }`

const JS = `
  window.heard = []
  for (const button of document.querySelectorAll('button')) button.addEventListener('click', () => heard.push(button.id))
  document.getElementById('modal').addEventListener('click', () => document.getElementById('dialog').showModal())
  document.getElementById('full').addEventListener('click', () => document.querySelector('main').requestFullscreen())
  const shadow = document.getElementById('tree').attachShadow({ mode: 'open' })
  const button = document.createElement('button')
  const hidden = document.createElement('section')
  hidden.popover = 'manual'
  hidden.textContent = 'in the shadow'
  button.popoverTargetElement = hidden
  shadow.append(button, hidden)
  window.openInShadow = () => button.click()
`

let kiosk: Kiosk
let page: Page

beforeAll(async () => {
  kiosk = await openKiosk(join(import.meta.dirname, 'composite.entry.ts'))
})
afterAll(() => kiosk?.close())
beforeEach(async () => {
  page = await kiosk.open({
    '/': { type: 'text/html', body: HTML },
    '/page.css': { type: 'text/css', body: CSS },
    '/page.js': { type: 'text/javascript', body: JS },
  })
})

const update = (tiles: FakeTile[]) => page.evaluate((wanted) => harness.update(wanted), tiles)
const painted = () => page.evaluate(() => harness.composite.painted())
const pixel = async (x: number, y: number) => (await kiosk.grab()).pixel(x, y)

async function show(mode: 'speaker_view' | 'gallery_view', tiles: FakeTile[]): Promise<Screen> {
  await page.evaluate(([wanted, people]) => harness.show(wanted, people), [mode, tiles] as const)
  return kiosk.grab()
}

function expectNoPage(screen: Screen): void {
  for (let x = 2; x < 1276; x += 6)
    for (let y = 2; y < 716; y += 6)
      if (near(screen.pixel(x, y), PAGE_COLOR, 60)) throw new Error(`The page shows at ${x},${y}`)
}

const untilShown = (x: number, y: number, color: Rgb) =>
  expect.poll(async () => near(await pixel(x, y), color), { timeout: 30_000 }).toBe(true)

const untilPageShows = () => untilShown(640, 500, PAGE_COLOR)

/** The color in the middle of every picture of a film of the middle. */
const middles = (film: Buffer[]) => film.map((frame) => pixelsOf(frame, MIDDLE.width)(200, 200))

const settle = (ms: number) => page.evaluate((time) => new Promise((resolve) => setTimeout(resolve, time)), ms)

describe('over the page', () => {
  it('no part of the page shows, under the strictest policy', async () => {
    await untilPageShows()
    expectNoPage(await show('gallery_view', []))
    await page.evaluate(() => harness.composite.hide())
    await untilPageShows()
    expect(kiosk.complaints).toEqual([])
  })

  it('clicks, keys and focus reach the page underneath', async () => {
    await show('gallery_view', [ANN])
    const box = (await page.locator('#plain').boundingBox())!
    await page.mouse.click(box.x + 5, box.y + 5)
    await page.locator('#plain').click({ timeout: 5000 })
    await page.locator('#plain').focus()
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => heard)).toEqual(['plain', 'plain', 'plain'])
    expect(await page.evaluate(() => document.elementFromPoint(640, 360)?.tagName)).not.toBe('DIV')
  })

  it('locators, screen readers and the page find none of our elements', async () => {
    await show('gallery_view', [{ id: 'Somebody Unusual', color: GREEN }, { id: 'Nobody Else' }])
    expect(await page.getByText('Somebody Unusual').count()).toBe(0)
    expect(await page.locator('body').ariaSnapshot()).not.toContain('Unusual')
    expect(await page.locator('video').count()).toBe(0)
    expect(await page.evaluate(() => document.documentElement.textContent?.includes('Unusual'))).toBe(false)
    expect(
      await page.evaluate(() =>
        [...document.querySelectorAll('*')].every(({ shadowRoot: root }) => !root?.querySelector('.composite')),
      ),
    ).toBe(true)
  })

  it('a modal dialog never shows, and can be clicked', async () => {
    await show('gallery_view', [ANN])
    const film = await kiosk.film(MIDDLE)
    await page.locator('#modal').click()
    await settle(300)
    await page.locator('#inside').click({ timeout: 5000 })
    await page.evaluate(() => document.querySelector('dialog')!.close())
    await settle(200)
    const shown = middles(await film.stop())
    expect(await page.evaluate(() => heard)).toEqual(['modal', 'inside'])
    expect(shown.length).toBeGreaterThan(10)
    // Neither the page, nor a gap in the picture while the layer comes back on top.
    expect(shown.filter((color) => !near(color, GREEN))).toEqual([])
    expectNoPage(await kiosk.grab())
  })

  it('popovers never show, whether opened by a click, by a script or inside a shadow tree', async () => {
    await show('gallery_view', [ANN])
    const film = await kiosk.film({ x: 0, y: 0, width: 1280, height: 720 })
    await page.locator('#declared').click()
    await settle(300)
    await page.locator('#within').click({ timeout: 5000 })
    await page.evaluate(() => document.getElementById('auto')!.showPopover())
    await settle(300)
    await page.evaluate(() => (window as unknown as { openInShadow(): void }).openInShadow())
    await settle(300)
    expect(await page.evaluate(() => document.querySelectorAll(':popover-open').length)).toBeGreaterThan(1)
    const frames = await film.stop()
    expect(frames.length).toBeGreaterThan(10)
    for (const frame of frames) expectNoPage({ pixel: pixelsOf(frame, 1280) })
  })

  it('a page in fullscreen never shows', async () => {
    await show('gallery_view', [ANN])
    const film = await kiosk.film(MIDDLE)
    await page.locator('#full').click()
    await page.waitForFunction(() => document.fullscreenElement !== null)
    await settle(500)
    expectNoPage(await kiosk.grab())
    await page.evaluate(() => document.exitFullscreen())
    await settle(500)
    expect(middles(await film.stop()).filter((color) => near(color, PAGE_COLOR, 60))).toEqual([])
    expectNoPage(await kiosk.grab())
  })

  it('alerts of the page do not appear and do not stop it', async () => {
    await show('gallery_view', [])
    const answers = await page.evaluate(() => [alert('hello'), confirm('sure?'), prompt('name?')])
    expect(answers).toEqual([undefined, false, null])
  })

  it('comes back with moving pictures when the page removes it or rebuilds itself', async () => {
    await show('speaker_view', [{ ...ANN, blinks: true, framesPerSecond: 4 }])
    const film = await kiosk.film(MIDDLE)
    await page.evaluate(() => document.documentElement.lastElementChild!.remove())
    await settle(300)
    await page.evaluate(() => document.body.replaceChildren())
    await page.evaluate(() => document.documentElement.replaceChildren(document.createElement('body')))
    await settle(300)
    await page.evaluate(() => {
      const root = document.createElement('html')
      root.append(document.createElement('body'))
      document.replaceChild(root, document.documentElement)
    })
    await settle(600)
    const shown = middles(await film.stop())
    expect(shown.filter((color) => near(color, PAGE_COLOR, 60) || near(color, [255, 255, 255]))).toEqual([])
    await untilShown(640, 300, GREEN)
    await untilShown(640, 300, [0, 0, 120])
  })

  it('nothing is left after it was disposed of', async () => {
    await show('gallery_view', [ANN])
    await page.evaluate(() => harness.composite.dispose())
    await untilPageShows()
    expect(await page.evaluate(() => String(HTMLDialogElement.prototype.showModal))).toContain('[native code]')
    expect(await page.evaluate(() => document.querySelectorAll('[popover=manual]').length)).toBe(0)
  })
})

describe('pictures', () => {
  it('the gallery shows every participant, each with their own picture, as soon as it reports that it is painted', async () => {
    const screen = await show('gallery_view', [ANN, { id: 'ben', color: RED }, { id: 'cleo', color: BLUE }])
    const shown = [screen.pixel(400, 180), screen.pixel(880, 180), screen.pixel(640, 500)]
    for (const [index, color] of [GREEN, RED, BLUE].entries()) expect(near(shown[index]!, color)).toBe(true)
  })

  it('the speaker is shown alone, and a change of speaker shows no black and no empty picture', async () => {
    const colors: [string, Rgb][] = [
      ['ann', RED],
      ['ben', BLUE],
      ['cleo', GREEN],
    ]
    const tiles = colors.map(([id, color]) => ({ id, color }))
    expect(near((await show('speaker_view', tiles)).pixel(640, 300), RED)).toBe(true)
    const film = await kiosk.film(MIDDLE)
    for (const [speaker, color] of [colors[1]!, colors[2]!, colors[0]!, colors[1]!]) {
      await update(tiles.map((tile) => ({ ...tile, isSpeaking: tile.id === speaker })))
      await untilShown(640, 300, color)
    }
    // The speaker leaves, and another one takes the place.
    await update([tiles[0]!])
    await untilShown(640, 300, RED)
    const shown = middles(await film.stop()).map(
      (color) => colors.find(([, known]) => near(color, known))?.[0] ?? color,
    )
    const order = shown.filter((one, index) => one !== shown[index - 1])
    expect(order).toEqual(['ann', 'ben', 'cleo', 'ann', 'ben', 'ann'])
  })

  it('a camera that goes off becomes initials, and a picture again when it comes back', async () => {
    await show('speaker_view', [ANN])
    await update([{ id: 'ann' }])
    await painted()
    const off = await kiosk.grab()
    expect(near(off.pixel(300, 300), INITIALS, 8)).toBe(true)
    expect(near(off.pixel(640, 250), INITIALS, 20)).toBe(false)
    await update([ANN])
    await painted()
    expect(near(await pixel(300, 300), GREEN)).toBe(true)
    await page.evaluate(() => {
      const { ann } = harness.streams
      const [track] = ann!.getVideoTracks()
      ann!.removeTrack(track!)
      ann!.dispatchEvent(new MediaStreamTrackEvent('removetrack', { track: track! }))
      return harness.composite.painted()
    })
    expect(near(await pixel(300, 300), INITIALS, 8)).toBe(true)
  })

  it('a camera that never sends a picture shows initials and holds nothing up for ever', async () => {
    await page.evaluate(() => {
      // A receiver without a sender.
      const { receiver } = new RTCPeerConnection().addTransceiver('video')
      const generator = new MediaStreamTrackGenerator({ kind: 'video' })
      const streams = [receiver.track, generator].map((track) => new MediaStream([track]))
      return harness.show('gallery_view', [
        { id: 'ann', stream: streams[0]! },
        { id: 'ben', stream: streams[1]! },
      ])
    })
    expect(near(await pixel(320, 200), INITIALS, 8)).toBe(true)
  })

  it('is painted only when a picture that comes late has come', async () => {
    await page.evaluate(async () => {
      const track = new MediaStreamTrackGenerator({ kind: 'video' })
      const canvas = new OffscreenCanvas(640, 360)
      const pen = canvas.getContext('2d')!
      pen.fillStyle = 'rgb(192 0 0)'
      pen.fillRect(0, 0, 640, 360)
      const writer = track.writable.getWriter()
      setTimeout(() => writer.write(new VideoFrame(canvas, { timestamp: 0 })), 700)
      await harness.show('speaker_view', [{ id: 'ann', stream: new MediaStream([track]) }])
    })
    expect(near(await pixel(640, 300), RED)).toBe(true)
  })

  it('is painted only while it is shown and nothing new has come', async () => {
    const flag = () => page.evaluate(() => harness.composite.isPainted)
    await update([ANN])
    expect(await flag()).toBe(false)
    await show('gallery_view', [ANN])
    expect(await flag()).toBe(true)
    const tiles = [ANN, { id: 'ben', color: BLUE }]
    const justAfter = await page.evaluate((wanted) => {
      harness.update(wanted)
      return harness.composite.isPainted
    }, tiles)
    expect(justAfter).toBe(false)
    await painted()
    expect(near(await pixel(950, 360), BLUE)).toBe(true)
    await page.evaluate(() => harness.composite.hide())
    expect(await flag()).toBe(false)
  })

  it('names are text, with any characters in them', async () => {
    const names = [
      '<img src=x onerror="heard.push(1)">',
      '"><script>heard.push(2)</script>',
      `${'Very '.repeat(500)}long`,
      '\u202egnirts desrever',
      `Z${'\u0337\u0354'.repeat(200)}algo`,
      'مريم العلي',
      '👩‍👩‍👧‍👦 family',
      '',
      'a\nb\tc',
    ]
    const tiles = names.map((name, index) => ({ id: `p${index}`, name, isSpeaking: index === 2 }))
    const screen = await show('gallery_view', tiles)
    expectNoPage(screen)
    expect(await page.evaluate(() => heard)).toEqual([])
    expect(kiosk.complaints).toEqual([])
    // The gaps between tiles stay empty: no name runs out of its place.
    for (let y = 5; y < 715; y += 3) expect(near(screen.pixel(4, y), GROUND, 4)).toBe(true)
  })

  it('are painted less often where the machine asks for it, and all of them again later', async () => {
    await show('speaker_view', [{ ...ANN, blinks: true, framesPerSecond: 10 }])
    /** How often the picture changes in two seconds. */
    const changes = async (framesPerSecond: number | null) => {
      await page.evaluate((rate) => harness.composite.setStep({ framesPerSecond: rate, size: 1 }), framesPerSecond)
      await settle(1000)
      const film = await kiosk.film(MIDDLE)
      await settle(2000)
      const shown = middles(await film.stop())
      return shown.slice(1).filter((color, index) => !near(color, shown[index]!)).length
    }
    expect(await changes(1)).toBeLessThan(5)
    // A busy machine paints fewer than the twenty that come.
    await expect.poll(() => changes(null), { timeout: 60_000 }).toBeGreaterThan(7)
  })

  it('take the middle of the screen where the machine asks for a small picture', async () => {
    await show('speaker_view', [ANN])
    for (const [size, left] of [
      [0.5, GROUND],
      [1, GREEN],
    ] as const) {
      await page.evaluate((wanted) => {
        harness.composite.setStep({ framesPerSecond: null, size: wanted })
        return harness.composite.painted()
      }, size)
      const screen = await kiosk.grab()
      expect([near(screen.pixel(640, 330), GREEN, 12), near(screen.pixel(200, 360), left, 12)]).toEqual([true, true])
    }
  })

  it('hundreds of updates and people leave no element behind', async () => {
    const left = await page.evaluate(async () => {
      const made: Element[] = []
      const native = document.createElement.bind(document)
      document.createElement = ((name: string) => {
        const element = native(name)
        made.push(element)
        return element
      }) as typeof document.createElement
      harness.composite.show('gallery_view')
      for (let round = 0; round < 300; round++) {
        harness.update(Array.from({ length: 30 }, (_, index) => ({ id: `p${round + index}` })))
        await Promise.resolve()
      }
      await harness.show('gallery_view', [])
      return { made: made.length, connected: made.filter((element) => element.isConnected).length }
    })
    expect(left.made).toBeGreaterThan(300)
    expect(left.connected).toBe(0)
  })
})
