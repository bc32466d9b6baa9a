/** The page alone, and the same page recorded by the pipelines of other bots. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { MockServer } from '../mock/types.ts'
import type { Contender } from './measured.ts'
import type { Pipeline } from './pipelines.ts'
import { visit } from './visitor.ts'

const run = promisify(execFile)

/** The zero line: a plain visitor at 1280×720, nothing recorded. */
export function pageAlone(server: MockServer, hasCameras: boolean): Contender {
  return {
    name: hasCameras ? 'the page alone' : 'the page alone, cameras off',
    note: 'a plain visitor at 1280×720; nothing is recorded',
    framesPerSecond: null,
    hasCameras,
    async start({ meeting }) {
      const visitor = await visit(server, meeting, { width: 1280, height: 720 })
      return { roots: visitor.roots, finish: () => Promise.resolve(null), dispose: visitor.close }
    },
  }
}

export function peer(pipeline: Pipeline, server: MockServer, folder: string): Contender {
  const { name, note, framesPerSecond } = pipeline
  return {
    name,
    note,
    framesPerSecond,
    hasCameras: true,
    async start({ meeting }) {
      const visitor = await visit(server, meeting, pipeline.window)
      const inputs = { ...visitor, source: visitor.monitor }
      const quiet = ['-hide_banner', '-loglevel', 'error', '-y']
      const encoder = spawn('ffmpeg', [...quiet, ...pipeline.arguments_(inputs)], {
        stdio: ['pipe', 'ignore', 'inherit'],
      })
      const ended = once(encoder, 'exit')
      return {
        roots: () => [...visitor.roots(), encoder.pid!],
        async finish() {
          encoder.stdin!.write('q')
          await ended
          for (const arguments_ of pipeline.afterwards(visitor.folder)) await run('ffmpeg', [...quiet, ...arguments_])
          const file = join(folder, `${name}.mp4`)
          copyFileSync(join(visitor.folder, 'final.mp4'), file)
          return file
        },
        async dispose() {
          encoder.kill('SIGKILL')
          await visitor.close()
        },
      }
    },
  }
}
