/** The process behind `child.ts`: serves on a free port of this machine until its parent is gone. */
import { messageOf } from '@standin/wire/text/error-text.ts'
import { startSpeechServer } from './server.ts'

process.on('disconnect', () => process.exit(0))
process.once('message', async (options: { engine: string; models: string; key: string }) => {
  try {
    const { url } = await startSpeechServer({ ...options, host: '127.0.0.1', port: 0 })
    process.send?.({ url })
  } catch (error) {
    process.send?.({ problem: messageOf(error) }, () => process.exit(1))
  }
})
