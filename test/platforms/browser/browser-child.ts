/** A test starts this as a separate process. It opens a browser, prints its process id, and waits to be ended. */

import { silentLogger } from '../../../packages/core/logger.ts'
import { openBrowser } from '../../../platforms/browser/browser.ts'

process.on('SIGINT', () => {
  process.stdout.write('heard SIGINT\n')
})
const environment = { display: null, pulseServer: '/nonexistent', pulseSink: 'none', width: 640, height: 360 }
const browser = await openBrowser(environment, { logger: silentLogger }, new AbortController().signal)
process.stdout.write(`browser ${browser.processId}\n`)
process.stdin.on('data', () => {
  void browser.page.evaluate(() => 6 * 7).then((answer) => process.stdout.write(`answer ${answer}\n`))
})
process.stdin.on('end', () => {
  void browser.close().then(() => process.exit(0))
})
