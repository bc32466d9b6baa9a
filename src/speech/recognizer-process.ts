/** The process of one recognizer: turns come over the channel to its parent, one at a time, and their words go back. */
import { messageOf } from '@standin/wire/text/error-text.ts'
import { giveWay } from '../../packages/core/process/give-way.ts'
import type { OpenEngine } from './engine.ts'
import { guarded } from './guard.ts'

giveWay()

const [engineName = '', modelFolder = ''] = process.argv.slice(2)
const say = (message: object) => process.send?.(message)
process.on('disconnect', () => process.exit(0))

async function open() {
  const module = engineName === 'sherpa-onnx-node' ? import('./sherpa.ts') : import(engineName)
  const { openEngine } = (await module) as { openEngine: OpenEngine }
  return openEngine(modelFolder)
}

open().then(
  (engine) => {
    process.on('message', async ({ samples }: { samples: Float32Array }) => {
      const text = await guarded((part) => engine.recognize(part), samples).catch((error: unknown) => ({
        problem: messageOf(error),
      }))
      say({ type: 'text', text, memory: process.memoryUsage.rss() })
    })
    say({ type: 'ready' })
  },
  (error: unknown) => say({ type: 'failed', message: messageOf(error) }),
)
