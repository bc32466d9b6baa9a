import type { Page } from 'playwright'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Composite, CompositeTile } from '../../../../../platforms/shared/page/picture/composite.ts'
import { type Kiosk, openKiosk, type Screen } from '../../kiosk.ts'
import type { FakePicture, Harness } from '../harness.entry.ts'

declare const harness: Harness
declare global {
  interface Window {
    composite: Composite
    streams: Record<string, MediaStream>
    heard: string[]
  }
}

/** The color of the whole page, so that one screenshot shows whether any part of it is visible. */
const PAGE_COLOR: Rgb = [255, 0, 255]

const HTML = `<!doctype html>
<html lang="en"><head><link rel="stylesheet" href="/page.css"></head><body>
  <main>
    <button id="plain">Plain</button>
    <button id="modal">Modal</button>
    <button id="declared" popovertarget="pop">Popover</button>
    <button id="full">Fullscreen</button>
    <video id="own" muted autoplay></video>
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

type Rgb = [number, number, number]

const near = (one: Rgb, other: Rgb, by = 40) => one.every((value, index) => Math.abs(value - other[index]!) <= by)

let kiosk: Kiosk
let page: Page

beforeAll(async () => {
  kiosk = await openKiosk()
})
afterAll(() => kiosk?.close())
beforeEach(async () => {
  page = await kiosk.open({
    '/': { type: 'text/html', body: HTML },
    '/page.css': { type: 'text/css', body: CSS },
    '/page.js': { type: 'text/javascript', body: JS },
  })
  await page.evaluate(() => {
    window.composite = harness.createComposite()
    window.streams = {}
  })
})

type TileText = Omit<CompositeTile, 'stream'> & { picture: FakePicture | null }

const person = (id: string, color: string | null, changed: Partial<TileText> = {}): TileText => ({
  id,
  name: id,
  isScreen: false,
  isSpeaking: false,
  picture: color === null ? null : { color },
  ...changed,
})

/** Gives the tiles to the composite; a tile keeps its stream from call to call. */
async function update(tiles: TileText[]): Promise<void> {
  await page.evaluate((wanted) => {
    const { streams, composite } = window
    composite.update(
      wanted.map(({ picture, ...tile }) => {
        if (picture) streams[tile.id] ??= harness.fakeStream(picture)
        return { ...tile, stream: picture ? streams[tile.id]! : null }
      }),
    )
  }, tiles)
}

async function show(mode: 'speaker_view' | 'gallery_view', tiles: TileText[]): Promise<Screen> {
  await update(tiles)
  await page.evaluate(async (wanted) => {
    window.composite.show(wanted)
    await window.composite.painted()
  }, mode)
  return kiosk.grab()
}

function expectNoPage(screen: Screen): void {
  for (let x = 2; x < 1276; x += 6) {
    for (let y = 2; y < 716; y += 6) {
      if (near(screen.pixel(x, y), PAGE_COLOR, 60)) throw new Error(`The page shows at ${x},${y}`)
    }
  }
}

const untilShown = (x: number, y: number, color: Rgb) =>
  expect.poll(async () => near((await kiosk.grab()).pixel(x, y), color), { timeout: 30_000 }).toBe(true)

const untilPageShows = () => untilShown(640, 500, PAGE_COLOR)

/** Colors of the middle of every filmed picture. */
const middles = (film: Buffer[], width: number, height: number): Rgb[] =>
  film.map((frame) => {
    const at = (Math.floor(height / 2) * width + Math.floor(width / 2)) * 3
    return [frame[at]!, frame[at + 1]!, frame[at + 2]!]
  })

const settle = (ms: number) => page.evaluate((time) => new Promise((resolve) => setTimeout(resolve, time)), ms)

describe('over the page', () => {
  it('no part of the page shows, under the strictest policy', async () => {
    await untilPageShows()
    const screen = await show('gallery_view', [])
    expectNoPage(screen)
    await page.evaluate(() => window.composite.hide())
    await untilPageShows()
    expect(kiosk.complaints).toEqual([])
  })

  it('clicks, keys and focus reach the page underneath', async () => {
    await show('gallery_view', [person('ann', '#00a000')])
    const box = (await page.locator('#plain').boundingBox())!
    await page.mouse.click(box.x + 5, box.y + 5)
    await page.locator('#plain').click({ timeout: 5000 })
    await page.locator('#plain').focus()
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => window.heard)).toEqual(['plain', 'plain', 'plain'])
    expect(await page.evaluate(() => document.elementFromPoint(640, 360)?.tagName)).not.toBe('DIV')
  })

  it('locators, screen readers and the page find none of our elements', async () => {
    await show('gallery_view', [person('Somebody Unusual', '#00a000'), person('Nobody Else', null)])
    expect(await page.getByText('Somebody Unusual').count()).toBe(0)
    expect(await page.locator('body').ariaSnapshot()).not.toContain('Unusual')
    expect(await page.locator('video').count()).toBe(1)
    expect(await page.evaluate(() => document.documentElement.textContent?.includes('Unusual'))).toBe(false)
    expect(
      await page.evaluate(() =>
        [...document.querySelectorAll('*')].every(({ shadowRoot: root }) => !root?.querySelector('.composite')),
      ),
    ).toBe(true)
  })

  it('a modal dialog never shows, and can be clicked', async () => {
    await show('gallery_view', [person('ann', '#00a000')])
    const film = await kiosk.film({ x: 440, y: 160, width: 400, height: 400 })
    await page.locator('#modal').click()
    await settle(300)
    await page.locator('#inside').click({ timeout: 5000 })
    await page.evaluate(() => document.querySelector('dialog')!.close())
    await settle(200)
    const shown = middles(await film.stop(), 400, 400)
    expect(await page.evaluate(() => window.heard)).toEqual(['modal', 'inside'])
    expect(shown.length).toBeGreaterThan(10)
    // Neither the page, nor a gap in the picture while the layer comes back on top.
    expect(shown.filter((color) => !near(color, [0, 160, 0]))).toEqual([])
    expectNoPage(await kiosk.grab())
  })

  it('popovers never show, whether opened by a click, by a script or inside a shadow tree', async () => {
    await show('gallery_view', [person('ann', '#00a000')])
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
    for (const frame of frames) {
      expectNoPage({ pixel: (x, y) => [...frame.subarray((y * 1280 + x) * 3, (y * 1280 + x) * 3 + 3)] as Rgb })
    }
  })

  it('a page in fullscreen never shows', async () => {
    await show('gallery_view', [person('ann', '#00a000')])
    const film = await kiosk.film({ x: 440, y: 160, width: 400, height: 400 })
    await page.locator('#full').click()
    await page.waitForFunction(() => document.fullscreenElement !== null)
    await settle(500)
    expectNoPage(await kiosk.grab())
    await page.evaluate(() => document.exitFullscreen())
    await settle(500)
    expect(middles(await film.stop(), 400, 400).filter((color) => near(color, PAGE_COLOR, 60))).toEqual([])
    expectNoPage(await kiosk.grab())
  })

  it('alerts of the page do not appear and do not stop it', async () => {
    await show('gallery_view', [])
    expect(await page.evaluate(() => [alert('hello'), confirm('sure?'), prompt('name?')])).toEqual([
      undefined,
      false,
      null,
    ])
  })

  it('comes back with moving pictures when the page removes it or rebuilds itself', async () => {
    const blinking = { color: '#00a000', look: 'blink', framesPerSecond: 4 } as const
    await show('speaker_view', [person('ann', null, { picture: blinking })])
    const film = await kiosk.film({ x: 440, y: 160, width: 400, height: 400 })
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
    const shown = middles(await film.stop(), 400, 400)
    expect(shown.filter((color) => near(color, PAGE_COLOR, 60) || near(color, [255, 255, 255]))).toEqual([])
    await untilShown(640, 300, [0, 160, 0])
    await untilShown(640, 300, [0, 0, 120])
  })

  it('nothing is left after it was disposed of', async () => {
    const before = await page.evaluate(() => String(HTMLDialogElement.prototype.showModal))
    await show('gallery_view', [person('ann', '#00a000')])
    await page.evaluate(() => window.composite.dispose())
    await untilPageShows()
    expect(before).toContain('[native code]')
    expect(await page.evaluate(() => document.querySelectorAll('[popover=manual]').length)).toBe(0)
  })
})

describe('pictures', () => {
  it('the gallery shows every participant, each with their own picture, as soon as it reports that it is painted', async () => {
    const colors = { ann: [200, 0, 0], ben: [0, 160, 0], cleo: [0, 0, 200], dora: [200, 160, 0] } as const
    const hex = (color: readonly number[]) => `#${color.map((value) => value.toString(16).padStart(2, '0')).join('')}`
    const screen = await show(
      'gallery_view',
      Object.entries(colors).map(([id, color]) => person(id, hex(color))),
    )
    const spots = [
      [400, 180],
      [880, 180],
      [400, 500],
      [880, 500],
    ] as const
    for (const [index, color] of Object.values(colors).entries()) {
      const [x, y] = spots[index]!
      expect(screen.pixel(x, y).map((value, part) => Math.abs(value - color[part]!) < 40)).toEqual([true, true, true])
    }
  })

  it('the own picture of the page is not among them', async () => {
    await page.evaluate(async () => {
      const own = document.querySelector<HTMLVideoElement>('#own')!
      own.srcObject = harness.fakeStream({ color: '#ffff00' })
      await own.play()
    })
    const screen = await show('gallery_view', [person('ann', '#00a000'), person('ben', null)])
    for (let x = 2; x < 1276; x += 8) {
      for (let y = 2; y < 716; y += 8) expect(near(screen.pixel(x, y), [255, 255, 0], 60)).toBe(false)
    }
  })

  it('the speaker is shown alone, and a change of speaker shows no black and no empty picture', async () => {
    const tiles = [person('ann', '#c00000'), person('ben', '#0000c0'), person('cleo', '#00a000')]
    const screen = await show('speaker_view', tiles)
    expect(near(screen.pixel(640, 300), [192, 0, 0])).toBe(true)
    const colors: Record<'ann' | 'ben' | 'cleo', Rgb> = { ann: [192, 0, 0], ben: [0, 0, 192], cleo: [0, 160, 0] }
    const known = Object.values(colors)
    const film = await kiosk.film({ x: 400, y: 200, width: 400, height: 300 })
    for (const speaker of ['ben', 'cleo', 'ann', 'ben'] as const) {
      await update(tiles.map((tile) => ({ ...tile, isSpeaking: tile.id === speaker })))
      await untilShown(640, 300, colors[speaker])
    }
    // The speaker leaves, and another one takes the place.
    await update([tiles[0]!])
    await untilShown(640, 300, colors.ann)
    const shown = middles(await film.stop(), 400, 300)
    const other = shown.flatMap((color, index) => (known.some((one) => near(color, one)) ? [] : [{ index, color }]))
    expect(other).toEqual([])
    const order = shown
      .map((color) => known.findIndex((one) => near(color, one)))
      .filter((one, index, all) => one !== all[index - 1])
    expect(order).toEqual([0, 1, 2, 0, 1, 0])
  })

  it('short speech does not change the picture', async () => {
    const tiles = [person('ann', '#c00000'), person('ben', '#0000c0')]
    await show('speaker_view', tiles)
    // In one step, so that a busy machine does not make the word long.
    await page.evaluate(async () => {
      const { streams, composite } = window
      const say = (isSpeaking: boolean) =>
        composite.update([
          { id: 'ann', name: 'ann', stream: streams.ann!, isScreen: false, isSpeaking: false },
          { id: 'ben', name: 'ben', stream: streams.ben!, isScreen: false, isSpeaking },
        ])
      say(true)
      await new Promise((resolve) => setTimeout(resolve, 200))
      say(false)
      await new Promise((resolve) => setTimeout(resolve, 1000))
    })
    expect(near((await kiosk.grab()).pixel(640, 300), [192, 0, 0])).toBe(true)
  })

  it('a shared screen comes first and whole, with the speaker small beside it', async () => {
    const deck = person('deck', '#f0f0f0', { isScreen: true, picture: { color: '#f0f0f0', width: 800, height: 600 } })
    const tiles = [person('ann', '#c00000'), person('ben', '#0000c0', { isSpeaking: true }), deck]
    await show('speaker_view', tiles)
    const areas = async () => {
      const screen = await kiosk.grab()
      const found = { speaker: 0, other: 0, screen: 0 }
      for (let x = 0; x < 1278; x += 4) {
        for (let y = 0; y < 718; y += 4) {
          const color = screen.pixel(x, y)
          if (near(color, [0, 0, 192])) found.speaker++
          if (near(color, [192, 0, 0])) found.other++
          if (near(color, [240, 240, 240], 12)) found.screen++
        }
      }
      return found
    }
    await expect.poll(async () => (await areas()).speaker, { timeout: 30_000 }).toBeGreaterThan(500)
    await expect.poll(async () => (await areas()).other, { timeout: 30_000 }).toBe(0)
    const { speaker, screen } = await areas()
    expect(screen).toBeGreaterThan(8 * speaker)
    expect(near((await kiosk.grab()).pixel(500, 360), [240, 240, 240])).toBe(true)
  })

  it('a camera that goes off becomes initials, and a picture again when it comes back', async () => {
    await show('speaker_view', [person('ann', '#c00000')])
    await update([person('ann', null)])
    await page.evaluate(() => window.composite.painted())
    const off = await kiosk.grab()
    expect(near(off.pixel(300, 300), [35, 38, 46], 8)).toBe(true)
    expect(near(off.pixel(640, 250), [35, 38, 46], 20)).toBe(false)
    await update([person('ann', '#c00000')])
    await page.evaluate(() => window.composite.painted())
    expect(near((await kiosk.grab()).pixel(300, 300), [192, 0, 0])).toBe(true)
    await page.evaluate(() => window.streams.ann!.getVideoTracks()[0]!.dispatchEvent(new Event('ended')))
    await page.evaluate(() => {
      const { ann } = window.streams
      const [track] = ann!.getVideoTracks()
      ann!.removeTrack(track!)
      ann!.dispatchEvent(new MediaStreamTrackEvent('removetrack', { track: track! }))
      return window.composite.painted()
    })
    expect(near((await kiosk.grab()).pixel(300, 300), [35, 38, 46], 8)).toBe(true)
  })

  it('a camera that never sends a picture shows initials and holds nothing up for ever', async () => {
    await page.evaluate(async () => {
      // A receiver without a sender.
      const { receiver } = new RTCPeerConnection().addTransceiver('video')
      const Generator = Reflect.get(globalThis, 'MediaStreamTrackGenerator')
      const generator: MediaStreamTrack = new Generator({ kind: 'video' })
      const tile = { isScreen: false, isSpeaking: false }
      window.composite.update([
        { ...tile, id: 'a', name: 'Ann', stream: new MediaStream([receiver.track]) },
        { ...tile, id: 'b', name: 'Ben', stream: new MediaStream([generator]) },
      ])
      window.composite.show('gallery_view')
      await window.composite.painted()
    })
    expect(near((await kiosk.grab()).pixel(320, 200), [35, 38, 46], 8)).toBe(true)
  })

  it('is painted only when a picture that comes late has come', async () => {
    await page.evaluate(async () => {
      const Generator = Reflect.get(globalThis, 'MediaStreamTrackGenerator')
      const track: MediaStreamTrack & { writable: WritableStream } = new Generator({ kind: 'video' })
      const stream = new MediaStream([track])
      window.composite.update([{ id: 'a', name: 'Ann', isScreen: false, isSpeaking: false, stream }])
      window.composite.show('speaker_view')
      const canvas = Object.assign(document.createElement('canvas'), { width: 640, height: 360 })
      const pen = canvas.getContext('2d')!
      pen.fillStyle = '#c00000'
      pen.fillRect(0, 0, 640, 360)
      const writer = track.writable.getWriter()
      setTimeout(() => writer.write(new VideoFrame(canvas, { timestamp: 0 })), 700)
      await window.composite.painted()
    })
    expect(near((await kiosk.grab()).pixel(640, 300), [192, 0, 0])).toBe(true)
  })

  it('is painted only while it is shown and nothing new has come', async () => {
    const flag = () => page.evaluate(() => window.composite.isPainted)
    await update([person('ann', '#c00000')])
    expect(await flag()).toBe(false)
    await show('gallery_view', [person('ann', '#c00000')])
    expect(await flag()).toBe(true)
    const justAfter = await page.evaluate(() => {
      const { streams, composite } = window
      const tile = { name: 'x', isScreen: false, isSpeaking: false }
      composite.update([
        { ...tile, id: 'ann', stream: streams.ann! },
        { ...tile, id: 'ben', stream: harness.fakeStream({ color: '#0000c0' }) },
      ])
      return composite.isPainted
    })
    expect(justAfter).toBe(false)
    await page.evaluate(() => window.composite.painted())
    expect(near((await kiosk.grab()).pixel(950, 360), [0, 0, 192])).toBe(true)
    await page.evaluate(() => window.composite.hide())
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
    const screen = await show(
      'gallery_view',
      names.map((name, index) => person(`p${index}`, null, { name, isSpeaking: index === 2 })),
    )
    expectNoPage(screen)
    expect(await page.evaluate(() => window.heard)).toEqual([])
    expect(kiosk.complaints).toEqual([])
    // The gaps between tiles stay empty: no name runs out of its place.
    for (let y = 5; y < 715; y += 3) expect(near(screen.pixel(4, y), [21, 23, 28], 4)).toBe(true)
  })

  it('are painted less often where the machine asks for it, and all of them again later', async () => {
    const blinking = { color: '#00a000', look: 'blink', framesPerSecond: 10 } as const
    await show('speaker_view', [person('ann', null, { picture: blinking })])
    /** How often the picture changes in two seconds. */
    const changes = async (rate: number | null) => {
      await page.evaluate((wanted) => window.composite.setStep({ framesPerSecond: wanted, size: 1 }), rate)
      await settle(1000)
      const film = await kiosk.film({ x: 440, y: 160, width: 400, height: 400 })
      await settle(2000)
      const shown = middles(await film.stop(), 400, 400)
      return shown.slice(1).filter((color, index) => !near(color, shown[index]!, 40)).length
    }
    expect(await changes(1)).toBeLessThan(5)
    // A busy machine paints fewer than the twenty that come.
    await expect.poll(() => changes(null), { timeout: 60_000 }).toBeGreaterThan(7)
  })

  it('take the middle of the screen where the machine asks for a small picture', async () => {
    const green = { color: '#00a000', look: 'plain' } as const
    await show('speaker_view', [person('ann', null, { picture: green })])
    const setSize = (size: number) =>
      page.evaluate((wanted) => {
        window.composite.setStep({ framesPerSecond: null, size: wanted })
        return window.composite.painted()
      }, size)
    await setSize(0.5)
    const small = await kiosk.grab()
    expect(near(small.pixel(640, 330), [0, 160, 0], 12)).toBe(true)
    for (const [x, y] of [
      [200, 360],
      [1080, 360],
      [640, 100],
      [640, 620],
    ] as const)
      expect(near(small.pixel(x, y), [21, 23, 28], 6)).toBe(true)
    await setSize(1)
    expect(near((await kiosk.grab()).pixel(200, 360), [0, 160, 0], 12)).toBe(true)
  })

  it('hundreds of updates and people leave no element behind', async () => {
    const left = await page.evaluate(async () => {
      const { composite } = window
      const tile = (id: string) => ({ id, name: id, stream: null, isScreen: false, isSpeaking: false })
      const made: Element[] = []
      const native = document.createElement.bind(document)
      document.createElement = ((name: string) => {
        const element = native(name)
        made.push(element)
        return element
      }) as typeof document.createElement
      composite.show('gallery_view')
      for (let round = 0; round < 300; round++) {
        composite.update(Array.from({ length: 30 }, (_, index) => tile(`p${round + index}`)))
        await Promise.resolve()
      }
      composite.update([])
      await composite.painted()
      return { made: made.length, connected: made.filter((element) => element.isConnected).length }
    })
    expect(left.made).toBeGreaterThan(300)
    expect(left.connected).toBe(0)
  })
})
