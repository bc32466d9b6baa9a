/** Runs at document start of the test pages: the code under test, and pretended cameras. */

import { createSourceSampler } from '../../../../platforms/shared/page/audio/contributing-sources.ts'
import { installWebRtcTap } from '../../../../platforms/shared/page/audio/webrtc-tap.ts'
import { createComposite } from '../../../../platforms/shared/page/picture/composite.ts'

export interface FakePicture {
  color: string
  width?: number
  height?: number
  /** Pictures per second; 0 draws once. */
  framesPerSecond?: number
  look?: 'plain' | 'blink' | 'person' | 'slides'
}

/** A camera or a shared screen, drawn. */
function fakeStream({
  color,
  width = 640,
  height = 360,
  framesPerSecond = 15,
  look = 'plain',
}: FakePicture): MediaStream {
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  const pen = canvas.getContext('2d', { alpha: false })!
  let count = 0
  const draw = () => {
    count++
    pen.fillStyle = look === 'blink' && count % 2 ? '#000078' : color
    pen.fillRect(0, 0, width, height)
    if (look === 'blink') return
    if (look === 'plain') {
      // A corner that changes, so that every picture is a new one.
      pen.fillStyle = count % 2 ? '#ffffff' : '#dddddd'
      pen.fillRect(0, 0, 4, 4)
    } else if (look === 'person') drawPerson(pen, width, height, count)
    else drawSlide(pen, width, height, count)
  }
  draw()
  if (framesPerSecond > 0) setInterval(draw, 1000 / framesPerSecond)
  return canvas.captureStream(framesPerSecond || 5)
}

function drawPerson(pen: CanvasRenderingContext2D, width: number, height: number, count: number): void {
  const light = pen.createLinearGradient(0, 0, width, height)
  light.addColorStop(0, 'rgba(255,255,255,.35)')
  light.addColorStop(1, 'rgba(0,0,0,.35)')
  pen.fillStyle = light
  pen.fillRect(0, 0, width, height)
  const x = width / 2 + Math.sin(count / 9) * width * 0.02
  pen.fillStyle = '#e8b990'
  pen.beginPath()
  pen.ellipse(x, height * 0.42, height * 0.15, height * 0.2, 0, 0, 7)
  pen.fill()
  pen.fillStyle = '#3b4a66'
  pen.beginPath()
  pen.ellipse(x, height * 1.02, height * 0.36, height * 0.38, 0, 0, 7)
  pen.fill()
}

function drawSlide(pen: CanvasRenderingContext2D, width: number, height: number, count: number): void {
  pen.fillStyle = '#ffffff'
  pen.fillRect(width * 0.02, height * 0.03, width * 0.96, height * 0.94)
  pen.fillStyle = '#1d2b53'
  pen.font = `700 ${height * 0.09}px Liberation Sans`
  pen.fillText('Quarterly review', width * 0.07, height * 0.2)
  pen.font = `${height * 0.05}px Liberation Sans`
  for (const [index, line] of ['Revenue up by a third', 'Two new platforms', 'Fewer lost recordings'].entries()) {
    pen.fillText(`•  ${line}`, width * 0.08, height * (0.36 + index * 0.1))
  }
  pen.fillStyle = count % 2 ? '#3a7afe' : '#3a7aff'
  for (const [index, size] of [0.1, 0.16, 0.22, 0.3].entries()) {
    pen.fillRect(width * (0.6 + index * 0.08), height * (0.85 - size), width * 0.06, height * size)
  }
}

const harness = { createComposite, createSourceSampler, installWebRtcTap, fakeStream }
export type Harness = typeof harness
Object.defineProperty(globalThis, 'harness', { value: harness })
