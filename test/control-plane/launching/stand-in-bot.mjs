/**
 * A small program in place of a bot. `extra.does` of its job says what: `exit:<code>`, `wait` (until SIGTERM, then code 0),
 * `ignore` (SIGTERM does nothing), `leave:<ms>` (ends with code 4 so long after SIGTERM).
 */
import { readFileSync, unlinkSync } from 'node:fs'

const file = process.env.STANDIN_JOB_FILE
const job = JSON.parse(readFileSync(file, 'utf8'))
unlinkSync(file)
const [does, value] = String(job.extra?.does ?? 'wait').split(':')
console.log(JSON.stringify({ arguments: process.argv.slice(2), environment: Object.keys(process.env).sort() }))
if (job.extra?.says) console.log(job.extra.says)

if (does === 'exit') process.exit(Number(value))
process.on('SIGTERM', () => {
  console.log('SIGTERM')
  if (does === 'leave') setTimeout(() => process.exit(4), Number(value))
  else if (does === 'wait') process.exit(0)
})
console.log('waiting')
setInterval(() => {}, 1000)
