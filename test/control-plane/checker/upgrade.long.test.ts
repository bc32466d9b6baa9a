import { test } from 'vitest'
import { runUpgrade } from './upgrade-run.ts'

test(
  'three times in a row every process is replaced under 200 bots, the last time by killing it',
  {
    timeout: 30 * 60_000,
  },
  () => runUpgrade({ bots: 200, chatEverySeconds: 2, trafficEveryMs: 250, rounds: ['SIGTERM', 'SIGTERM', 'SIGKILL'] }),
)
