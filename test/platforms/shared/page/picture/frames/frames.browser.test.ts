import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { pageScript } from '../../../../../../packages/core/process/page-scripts.ts'
import { findStoredFile } from '../../../../../../platforms/browser/stored-file.ts'
import { type Files, type Kiosk, near, openKiosk, type Rgb } from '../../../kiosk.ts'
import type { FakeTile, Harness } from '../composite.entry.ts'

declare const harness: Harness
type MakeText = (text: string, ...more: string[]) => string
interface OwnTypes {
  createHTML: MakeText
  createScriptURL: MakeText
}
declare const trustedTypes: { createPolicy(name: string, rules: Partial<OwnTypes>): OwnTypes }
declare global {
  interface Window {
    /** The page's policy of Trusted Types for the addresses of its scripts. */
    scripts: OwnTypes
  }
}

const ENTRY = join(import.meta.dirname, '../composite.entry.ts')
const OWN = 'painter-of-the-test'
/** As strict as can be for a page that makes a meeting at all: its own scripts and workers. */
const POLICY = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "worker-src 'self'"],
  "require-trusted-types-for 'script'; trusted-types page markup",
].join('; ')
const SIZE = { width: 1280, height: 720 }
const BYTES = (SIZE.width * SIZE.height * 3) / 2
const GROUND: Rgb = [0x15, 0x17, 0x1c]
const SPEAKING: Rgb = [0x7c, 0xb0, 0xff]
const INITIALS: Rgb = [0x23, 0x26, 0x2e]
const RED: Rgb = [200, 30, 30]
const GREEN: Rgb = [30, 160, 60]
const BLUE: Rgb = [40, 60, 200]
const ANN: FakeTile = { id: 'Ann', color: RED }

let kiosk: Kiosk
let page: Page
let file: string

beforeAll(async () => {
  kiosk = await openKiosk(ENTRY, { path: `/${OWN}.js`, source: PAINTER })
})
afterAll(() => kiosk?.close())
beforeEach(async () => {
  page = await openPage(POLICY)
  await findFile()
})

/** Only the page's own policies of Trusted Types are allowed then. */
const OWN_TYPES = "require-trusted-types-for 'script'; trusted-types page markup"

async function openPage(policy: string, files: Files = {}): Promise<Page> {
  const all = { '/': { type: 'text/html', body: '<body>The page' }, ...files }
  const opened = await kiosk.open(all, `?painter=${OWN}`, policy)
  if (policy.includes(OWN_TYPES)) await opened.evaluate(makeOwnTypes)
  return opened
}

/** As a page with web workers does: one policy for markup, and one for scripts, which accepts its own. */
function makeOwnTypes(): void {
  trustedTypes.createPolicy('markup', { createHTML: (markup) => markup })
  window.scripts = trustedTypes.createPolicy('page', {
    createScriptURL(address, ...more) {
      if (address === '/page.js') return address + more.join('')
      throw new TypeError('no script of the page')
    },
  })
}

/** The worker's file can be made to fail, see `letWritesFail`. */
const PAINTER = `
  const { write } = FileSystemSyncAccessHandle.prototype
  let fails = false
  new BroadcastChannel('disk').onmessage = ({ data }) => { fails = data }
  FileSystemSyncAccessHandle.prototype.write = function (...given) {
    if (fails) throw new Error('no room on the disk')
    return write.apply(this, given)
  };
  ${pageScript('page/shared/frame-painter')}`

const openFrames = (): Promise<string | null> =>
  page.evaluate(([painter, size]) => harness.composite.openFrames(painter, size), [PAINTER, SIZE] as const)

async function findFile(): Promise<void> {
  const mark = await openFrames()
  file = (await findStoredFile(kiosk.profile, Buffer.from(mark!, 'hex'), BYTES))!
  expect(file).not.toBeNull()
}

function letWritesFail(fails: boolean): Promise<void> {
  return page.evaluate((message) => new BroadcastChannel('disk').postMessage(message), fails)
}

const show = (mode: 'speaker_view' | 'gallery_view', tiles: FakeTile[]) =>
  page.evaluate(([wanted, people]) => harness.show(wanted, people), [mode, tiles] as const)

/** The color that a player shows for a pixel of the file. */
async function pixel(x: number, y: number): Promise<Rgb> {
  await using opened = await open(file)
  const byte = async (at: number) => (await opened.read(Buffer.alloc(1), 0, 1, at)).buffer[0]!
  const color = (y >> 1) * (SIZE.width / 2) + (x >> 1)
  const luma = 1.164 * ((await byte(y * SIZE.width + x)) - 16)
  const u = (await byte(SIZE.width * SIZE.height + color)) - 128
  const v = (await byte(SIZE.width * SIZE.height * 1.25 + color)) - 128
  const channels = [luma + 1.596 * v, luma - 0.392 * u - 0.813 * v, luma + 2.017 * u]
  return channels.map((value) => Math.round(Math.min(Math.max(value, 0), 255))) as Rgb
}

const expectPixel = async (x: number, y: number, color: Rgb) => {
  const found = await pixel(x, y)
  expect(near(found, color, 14), `${found} at ${x},${y}, not ${color}`).toBe(true)
}
const untilPixel = (x: number, y: number, color: Rgb) =>
  expect.poll(async () => near(await pixel(x, y), color, 14)).toBe(true)

test('a gallery is in the file as it is on a screen: pictures, round corners, names, who speaks', async () => {
  const ben = { id: 'Ben', color: GREEN, isSpeaking: true }
  await show('gallery_view', [ANN, ben, { id: 'Cleo' }, { id: 'Dan', color: BLUE }])
  await expectPixel(360, 170, RED)
  await expectPixel(920, 170, GREEN)
  await expectPixel(920, 520, BLUE)
  await expectPixel(4, 4, GROUND)
  await expectPixel(84, 14, GROUND)
  await expectPixel(647, 170, SPEAKING)
  // Cleo's initial is on a plain ground.
  expect(near(await pixel(320, 520), GROUND, 20)).toBe(false)
  const caption = await Promise.all(Array.from({ length: 60 }, (_, index) => pixel(86 + index, 339)))
  expect(caption.some(([red]) => red > 120)).toBe(true)
  expect(kiosk.complaints).toEqual([])
})

test('until its picture is shown, the file begins with a mark that identifies it', async () => {
  const start = async () => {
    await using opened = await open(file)
    return (await opened.read(Buffer.alloc(16), 0, 16, 0)).buffer.toString('hex')
  }
  const mark = await openFrames()
  await page.evaluate((color) => harness.update([{ id: 'Ben', color }]), GREEN)
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(await start()).toBe(mark)
  await show('speaker_view', [ANN])
  expect(await start()).not.toBe(mark)
})

test('the display shows neither the composite nor the page', async () => {
  await show('gallery_view', [ANN])
  await expectPixel(640, 340, RED)
  await expect.poll(async () => near((await kiosk.grab()).pixel(640, 340), GROUND)).toBe(true)
})

test('the speaker fills the picture, and the next speaker replaces it', async () => {
  await show('speaker_view', [
    { ...ANN, isSpeaking: true },
    { id: 'Ben', color: GREEN },
  ])
  await expectPixel(640, 340, RED)
  await show('speaker_view', [ANN, { id: 'Ben', color: GREEN, isSpeaking: true }])
  await untilPixel(640, 340, GREEN)
})

test('a camera that goes off becomes initials', async () => {
  await show('speaker_view', [ANN])
  await expectPixel(640, 200, RED)
  await show('speaker_view', [{ id: 'Ann' }])
  await untilPixel(200, 100, INITIALS)
})

test('a shared screen and a picture on its side are seen whole', async () => {
  await show('speaker_view', [
    { id: 'Ann', color: GREEN, width: 360, height: 640 },
    { id: 'screen', isScreen: true, color: BLUE, width: 800, height: 800 },
  ])
  await untilPixel(560, 300, BLUE)
  const side = await pixel(1120, 100)
  expect([GREEN, INITIALS, GROUND].some((color) => near(side, color, 14))).toBe(true)
})

test('a screen that does not change, and so sends no frame, is shown too', async () => {
  await page.evaluate((color) => {
    const srcObject = harness.draw({ color, framesPerSecond: 0 })
    harness.streams.screen = srcObject
    const video = Object.assign(document.createElement('video'), { srcObject, muted: true })
    document.body.append(video)
    return video.play()
  }, BLUE)
  await show('speaker_view', [{ id: 'screen', color: BLUE, isScreen: true }])
  await untilPixel(640, 300, BLUE)
})

/** A camera whose frames are red above and blue below, as the page says. */
async function cameraOf(init: { rotation?: number; matrix?: 'smpte170m' | 'bt709'; isRgb?: boolean }): Promise<void> {
  await page.evaluate(({ rotation = 0, matrix = 'smpte170m', isRgb = false }) => {
    const [width, height] = [640, 360]
    const yuv = {
      smpte170m: { above: [85, 103, 203], below: [76, 192, 109] },
      bt709: { above: [73, 111, 203], below: [73, 192, 114] },
    }[matrix]
    const planes = new Uint8Array((width * height * 3) / 2)
    for (const [plane, at, bytes] of [
      [0, 0, width * height],
      [1, width * height, (width * height) / 4],
      [2, width * height * 1.25, (width * height) / 4],
    ] as const) {
      planes.fill(yuv.above[plane]!, at, at + bytes / 2)
      planes.fill(yuv.below[plane]!, at + bytes / 2, at + bytes)
    }
    const canvas = new OffscreenCanvas(width, height)
    const pen = canvas.getContext('2d')!
    pen.fillStyle = 'rgb(200 30 30)'
    pen.fillRect(0, 0, width, height / 2)
    pen.fillStyle = 'rgb(40 60 200)'
    pen.fillRect(0, height / 2, width, height / 2)
    const frame = (timestamp: number) => {
      if (isRgb) return new VideoFrame(canvas, { timestamp, rotation } as VideoFrameInit)
      const colorSpace = { matrix, primaries: 'bt709', transfer: 'bt709', fullRange: false } as const
      const shape = { codedWidth: width, codedHeight: height, format: 'I420', timestamp } as const
      return new VideoFrame(planes, { ...shape, colorSpace, rotation } as VideoFrameBufferInit)
    }
    const track = new MediaStreamTrackGenerator({ kind: 'video' })
    const writer = track.writable.getWriter()
    let count = 0
    setInterval(() => writer.write(frame(count++ * 66_000)).catch(() => {}), 66)
    harness.streams.Ann = new MediaStream([track])
  }, init)
  await show('speaker_view', [ANN])
}

test.each([
  ['as decoders give them', {}],
  ['of BT.709', { matrix: 'bt709' as const }],
  ['of a canvas', { isRgb: true }],
])('frames %s have their colors', async (_, init) => {
  await cameraOf(init)
  await untilPixel(640, 170, RED)
  await untilPixel(640, 510, BLUE)
})

test('frames that are equal to the one before are not painted again', async () => {
  await cameraOf({})
  await untilPixel(640, 170, RED)
  const { mtimeMs } = await stat(file)
  // Ten frames.
  await page.waitForTimeout(660)
  expect((await stat(file)).mtimeMs).toBe(mtimeMs)
  await show('speaker_view', [{ id: 'Ann' }])
  await untilPixel(200, 100, INITIALS)
})

type Point = [x: number, y: number]
test.each<[number, Point, Point]>([
  [90, [780, 340], [500, 340]],
  [180, [640, 510], [640, 170]],
  [270, [500, 340], [780, 340]],
])('frames that are turned by %i degrees are seen upright', async (rotation, red, blue) => {
  await cameraOf({ rotation })
  await untilPixel(...red, RED)
  await untilPixel(...blue, BLUE)
})

test('a smaller picture in the middle, where the machine asks for it', async () => {
  await show('speaker_view', [ANN])
  await page.evaluate(() => harness.composite.setStep({ framesPerSecond: 2, size: 0.5 }))
  await untilPixel(100, 340, GROUND)
  await untilPixel(640, 340, RED)
  await page.evaluate(() => harness.composite.setStep({ framesPerSecond: null, size: 1 }))
  await untilPixel(100, 340, RED)
})

test('a screenshot is what is recorded', async () => {
  await show('speaker_view', [ANN])
  const [red, green] = await page.evaluate(async () => {
    const data = await harness.composite.png()
    const bytes = Uint8Array.from(atob(data!), (sign) => sign.charCodeAt(0))
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const pen = new OffscreenCanvas(image.width, image.height).getContext('2d')!
    pen.drawImage(image, 0, 0)
    return [...pen.getImageData(640, 340, 1, 1).data]
  })
  expect(red).toBeGreaterThan(180)
  expect(green).toBeLessThan(50)
})

test('back on the screen, the picture is there', async () => {
  await page.evaluate(() => harness.composite.closeFrames())
  await show('speaker_view', [ANN])
  await expect.poll(async () => near((await kiosk.grab()).pixel(640, 340), RED)).toBe(true)
})

test('what could not be written for a while is made up for', async () => {
  const reported: string[] = []
  page.on('console', (message) => reported.push(message.text()))
  await show('speaker_view', [ANN])
  await letWritesFail(true)
  await show('speaker_view', [{ id: 'Ann' }])
  await expect.poll(() => reported.join()).toContain('no room on the disk')
  await letWritesFail(false)
  await untilPixel(200, 100, INITIALS)
  expect(await page.evaluate(() => harness.composite.fault)).toBeNull()
})

test('who cannot write any more says so', async () => {
  await show('speaker_view', [ANN])
  expect(await page.evaluate(() => harness.composite.fault)).toBeNull()
  await letWritesFail(true)
  await show('speaker_view', [{ id: 'Ann' }])
  await expect.poll(() => page.evaluate(() => harness.composite.fault)).toContain('no room on the disk')
})

test('a page that allows neither workers nor WebAssembly says so, and is painted on the screen', async () => {
  const strict = await openKiosk(ENTRY)
  onTestFinished(strict.close)
  page = await strict.open({ '/': { type: 'text/html', body: '<body>The page' } })
  expect(await openFrames()).toBeNull()
  await show('speaker_view', [ANN])
  await expect.poll(async () => near((await strict.grab()).pixel(640, 340), RED)).toBe(true)
})

test("the page's policy of Trusted Types decides about all addresses but the painter's", async () => {
  const asked = await page.evaluate((own) => {
    const answers = (address: string, ...more: string[]) => {
      try {
        return String(window.scripts.createScriptURL(address, ...more))
      } catch (error) {
        return String(error)
      }
    }
    return [answers('/page.js', '?', '1'), answers('https://elsewhere.example/a.js'), answers(`/${own}.js`)]
  }, OWN)
  expect(asked).toEqual(['/page.js?1', 'TypeError: no script of the page', `/${OWN}.js`])
  expect(await page.evaluate(() => String(trustedTypes.createPolicy))).toContain('[native code]')
})

test('what the policy of the page forbids its own scripts stays forbidden while its picture is painted', async () => {
  const body = `<body>The page<script src="/own.js"></script><script>window.inline = true</script></body>`
  const own = `
    window.own = {}
    const blocked = (name, work) => {
      try { work(); window.own[name] = 'allowed' } catch (error) { window.own[name] = error.name }
    }
    blocked('eval', () => eval('1'))
    blocked('markup', () => { document.body.innerHTML += '<img src=x>' })
    blocked('compile', () => new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])))
    blocked('own trusted type', () => trustedTypes.createPolicy('own', {}))
    blocked('plain worker', () => new Worker(URL.createObjectURL(new Blob(['']))))
    document.addEventListener('securitypolicyviolation', ({ violatedDirective }) => {
      (window.violations ??= []).push(violatedDirective)
    })
    fetch('https://elsewhere.example/').then(() => { window.own.fetch = 'allowed' }, () => { window.own.fetch = 'refused' })`
  page = await openPage(POLICY, {
    '/': { type: 'text/html', body },
    '/own.js': { type: 'text/javascript', body: own },
  })
  await findFile()
  await show('speaker_view', [ANN])
  await untilPixel(640, 340, RED)
  const seen = () => page.evaluate(() => ({ ...(window as never as { own: object }).own }))
  await expect.poll(async () => 'fetch' in (await seen())).toBe(true)
  expect(await seen()).toEqual({
    eval: 'EvalError',
    markup: 'TypeError',
    compile: 'CompileError',
    'own trusted type': 'TypeError',
    'plain worker': 'TypeError',
    fetch: 'refused',
  })
  expect(await page.evaluate(() => 'inline' in window)).toBe(false)
  const directives = await page.evaluate(() => (window as never as { violations: string[] }).violations)
  expect(directives).toContain('connect-src')
})

test.each([
  ['by nonces, as Google Meet does', "script-src 'nonce-abc' 'strict-dynamic'; object-src 'none'; base-uri 'none'"],
  [
    'by Trusted Types, as Google Meet may',
    "script-src 'nonce-abc' 'strict-dynamic'; object-src 'none'; require-trusted-types-for 'script'",
  ],
  ['by Trusted Types of its own list', `script-src 'self'; ${OWN_TYPES} 'allow-duplicates'`],
  ['by Trusted Types in two policies', `script-src 'self'; ${OWN_TYPES}, require-trusted-types-for 'script'`],
  ['workers of its own making only', "script-src 'self' 'wasm-unsafe-eval'; worker-src blob:"],
  ['nothing', ''],
])('a page that restricts its scripts %s is painted as frames', async (_, policy) => {
  page = await openPage(policy)
  expect(await openFrames()).toMatch(/^[0-9a-f]+$/)
})
