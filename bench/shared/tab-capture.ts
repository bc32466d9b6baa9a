/**
 * Capture inside the browser: the tab's own picture and sound by getDisplayMedia into a MediaRecorder with VP9, pieces of
 * two seconds handed to the program. So does ScreenApp: https://github.com/screenappai/meeting-bot
 */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { promisify } from 'node:util'
import type { MockServer } from '../../mock/types.ts'
import type { Contender } from './measured.ts'
import { visit } from './visitor.ts'

const run = promisify(execFile)

export function tabCapture(server: MockServer, folder: string): Contender {
  return {
    name: 'ScreenApp',
    note: 'tab capture at 1280×720, MediaRecorder with VP9 and Opus in the page; then remuxed to be seekable',
    framesPerSecond: 30,
    hasCameras: true,
    async start({ meeting }) {
      const visitor = await visit(server, meeting, { width: 1280, height: 720 }, [
        '--auto-accept-this-tab-capture',
        '--enable-usermedia-screen-capturing',
      ])
      const raw = join(visitor.folder, 'raw.webm')
      const file = createWriteStream(raw)
      await visitor.page.exposeFunction('keepPiece', (piece: string) => void file.write(Buffer.from(piece, 'base64')))
      await visitor.page.evaluate(startRecorder)
      return {
        roots: visitor.roots,
        async finish() {
          await visitor.page.evaluate(stopRecorder)
          await finished(file.end())
          const final = join(folder, `ScreenApp-${randomUUID()}.webm`)
          await run('ffmpeg', ['-loglevel', 'error', '-y', '-i', raw, '-c', 'copy', final])
          return final
        },
        dispose: visitor.close,
      }
    },
  }
}

interface RecordingPage {
  keepPiece(piece: string): Promise<void>
  stopRecorder(): Promise<void>
}

/** Runs in the page. */
async function startRecorder(): Promise<void> {
  const page = globalThis as unknown as RecordingPage
  const stream = await navigator.mediaDevices.getDisplayMedia({
    video: true,
    audio: { autoGainControl: false, echoCancellation: false, noiseSuppression: false },
    preferCurrentTab: true,
  } as DisplayMediaStreamOptions)
  const recorder = new MediaRecorder(stream, { mimeType: 'video/webm;codecs=vp9,opus' })
  let kept = Promise.resolve()
  recorder.ondataavailable = ({ data }) => {
    kept = kept.then(async () => {
      const bytes = new Uint8Array(await data.arrayBuffer())
      let text = ''
      for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
      await page.keepPiece(btoa(text))
    })
  }
  const stopped = new Promise<void>((resolve) => {
    recorder.onstop = () => resolve()
  })
  page.stopRecorder = async () => {
    recorder.stop()
    await stopped
    await kept
  }
  recorder.start(2000)
}

/** Runs in the page. */
function stopRecorder(): Promise<void> {
  return (globalThis as unknown as RecordingPage).stopRecorder()
}
