/** The page alone, and the same page recorded by the pipelines of other bots. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { MockServer } from '../../packages/mock/types.ts'
import type { Contender } from './measured.ts'
import type { Pipeline } from './pipelines.ts'
import { visit } from './visitor.ts'

const run = promisify(execFile)

const FFMPEG = ['-hide_banner', '-loglevel', 'error', '-y']

/** The arguments of each program beside a pipeline's own, and how it is asked to complete its file. */
const PROGRAMS: Record<Pipeline['program'], { arguments_: string[]; end(encoder: ChildProcess): void }> = {
  ffmpeg: { arguments_: FFMPEG, end: (encoder) => void encoder.stdin!.write('q') },
  'gst-launch-1.0': { arguments_: ['--quiet', '--eos-on-shutdown'], end: (encoder) => void encoder.kill('SIGINT') },
}

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
      const { arguments_, end } = PROGRAMS[pipeline.program]
      const encoder = spawn(pipeline.program, [...arguments_, ...pipeline.arguments_(inputs)], {
        stdio: ['pipe', 'ignore', 'inherit'],
        env: { ...process.env, XAUTHORITY: visitor.displayAuthority },
      })
      const ended = once(encoder, 'exit')
      // `finish` reports a failed start.
      ended.catch(() => {})
      return {
        roots: () => [...visitor.roots(), encoder.pid!],
        async finish() {
          end(encoder)
          await ended
          for (const step of pipeline.afterwards(visitor.folder)) await run('ffmpeg', [...FFMPEG, ...step])
          const file = join(folder, `${name}-${randomUUID()}.mp4`)
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
