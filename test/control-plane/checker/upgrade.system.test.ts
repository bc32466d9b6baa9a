import { test } from 'vitest'
import { runUpgrade } from './upgrade-run.ts'

test(
  'every process of the service is replaced under 40 bots: nothing is lost or doubled, and all bots come back',
  {
    timeout: 900_000,
  },
  () => runUpgrade({ bots: 40, chatEverySeconds: 5, trafficEveryMs: 500, rounds: ['SIGTERM'] }),
)
