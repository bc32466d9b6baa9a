/** The process behind `child.ts`: serves on a free port of this machine until its parent is gone. */
import { messageOf } from '@standin/wire/text/error-text.ts'
import { UnusableModel } from './recognizers.ts'
import { startSpeechServer } from './server.ts'

process.on('disconnect', () => process.exit(0))
process.once('message', async (options: { engine: string; models: string; port: number; key: string }) => {
  try {
    const { url } = await startSpeechServer({ ...options, host: '127.0.0.1' })
    process.send?.({ url })
  } catch (error) {
    const isTransient = !(error instanceof UnusableModel)
    process.send?.({ problem: messageOf(error), isTransient }, () => process.exit(1))
  }
})
