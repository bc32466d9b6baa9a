/** The ways in which a client may draw a picture: Zoom's own decoders draw into canvases, in the page or in a worker. */
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { silentLogger } from '../../../packages/core/logger.ts'
import { packageRoot } from '../../../packages/core/process/page-scripts.ts'
import { type BotBrowser, openBrowser } from '../../../platforms/browser/browser.ts'
import { SILENT_STAGE } from './harness.ts'

let browser: BotBrowser
beforeAll(async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { watchPictures } from './pictures.ts'; globalThis.pictures = watchPictures()`,
      resolveDir: join(packageRoot, 'platforms/zoom/page'),
    },
    bundle: true,
    format: 'iife',
    write: false,
  })
  const initScript = outputFiles[0]?.text ?? ''
  browser = await openBrowser(SILENT_STAGE, { initScript, logger: silentLogger }, new AbortController().signal)
})
afterAll(() => browser.close())

/** Draws a new color at every frame. */
const DRAWING = `function draw(canvas, kind) {
  const pen = canvas.getContext(kind)
  let frame = 0
  const step = () => {
    frame++
    if (kind === '2d') {
      pen.fillStyle = 'hsl(' + (frame * 10) % 360 + ' 80% 50%)'
      pen.fillRect(0, 0, 320, 180)
    } else {
      pen.clearColor((frame % 20) / 20, 0.5, 0, 1)
      pen.clear(pen.COLOR_BUFFER_BIT)
    }
    requestAnimationFrame(step)
  }
  step()
}`

test.each([
  ['2d', 'the page'],
  ['webgl', 'the page'],
  ['2d', 'a worker'],
  ['webgl', 'a worker'],
])('a canvas in a closed shadow tree, drawn by %s in %s, gives its moving picture', async (kind, phase) => {
  const { page } = browser
  await page.goto('about:blank')
  const frames = await page.evaluate(
    async ({ kind, phase, drawing }) => {
      const player = document.createElement('video-player')
      const canvas = document.createElement('canvas')
      canvas.width = 320
      canvas.height = 180
      player.attachShadow({ mode: 'closed' }).append(canvas)
      document.body.append(player)
      if (phase === 'a worker') {
        const source = `${drawing}; onmessage = ({ data }) => draw(data.canvas, data.kind)`
        const worker = new Worker(URL.createObjectURL(new Blob([source])))
        const offscreen = canvas.transferControlToOffscreen()
        worker.postMessage({ canvas: offscreen, kind }, [offscreen])
      } else new Function('canvas', 'kind', `${drawing}; draw(canvas, kind)`)(canvas, kind)
      const { pictures } = globalThis as unknown as { pictures: { streamIn(element: Element): MediaStream | null } }
      const video = document.createElement('video')
      video.muted = true
      video.srcObject = pictures.streamIn(player)
      document.body.append(video)
      void video.play()
      let seen = 0
      await new Promise<void>((resolve) => {
        const count = () => (++seen >= 5 ? resolve() : video.requestVideoFrameCallback(count))
        video.requestVideoFrameCallback(count)
        setTimeout(resolve, 60_000)
      })
      return seen
    },
    { kind, phase, drawing: DRAWING },
  )
  expect(frames).toBeGreaterThanOrEqual(5)
})
