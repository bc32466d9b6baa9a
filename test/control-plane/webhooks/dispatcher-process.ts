/** A dispatcher in a separate process, for tests that kill it. Database and keys come in variables. */
import { createGuardedClient } from '../../../control-plane/platform/outgoing/guarded-client.ts'
import { createSeals, parseSealKeys } from '../../../control-plane/platform/secrets/seals.ts'
import { openDatabase } from '../../../control-plane/store/database.ts'
import { startDispatcher } from '../../../control-plane/webhooks/dispatcher.ts'

const url = process.env.TEST_DATABASE
const keys = process.env.TEST_SEAL_KEYS
if (!url || !keys) throw new Error('TEST_DATABASE and TEST_SEAL_KEYS are not set')

startDispatcher({
  database: openDatabase({ url, role: 'dispatcher', connections: 4 }),
  client: createGuardedClient({ allowPrivate: true }),
  seals: createSeals(parseSealKeys(keys)),
  links: { publicUrl: 'https://standin.test', sign: async () => null, olderTranscript: async () => [] },
  clock: Date,
  log: { info() {}, warn() {}, error: (fields, message) => console.error(message, fields) },
  leaseSeconds: 3,
})
