/** The receivers in other languages, which the long lane installs. */
import { join } from 'node:path'
import { freePort } from '../servers/free-port.ts'
import { describeReceiver } from './webhook-receivers.ts'

const program = (ending: string) => join(import.meta.dirname, `../../docs/examples/webhook-receiver.${ending}`)

describeReceiver('Python', async () => ({ command: '/usr/bin/python3', args: [program('py'), '0'] }))

describeReceiver('Go', async () => ({ command: 'go', args: ['run', program('go'), '0'] }))

describeReceiver('PHP', async () => {
  const place = `127.0.0.1:${await freePort()}`
  return { command: 'php', args: ['-S', place, program('php')], address: `http://${place}` }
})
