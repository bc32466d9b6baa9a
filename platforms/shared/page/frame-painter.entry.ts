/** Runs in a worker of the meeting's page, separate from the page script. */
import { FramePainter } from './picture/frames/painter.ts'
import type { ToPainter } from './picture/frames/scene.ts'

const painter = new FramePainter((message, transfer) => globalThis.postMessage(message, { transfer }))
globalThis.addEventListener('message', ({ data }: MessageEvent<ToPainter>) => painter.onMessage(data))
