import { join } from 'node:path'
import { describeReceiver } from './webhook-receivers.ts'

const program = join(import.meta.dirname, '../../docs/examples/webhook-receiver.mjs')

describeReceiver('JavaScript', async () => ({ command: process.execPath, args: [program, '0'] }))
