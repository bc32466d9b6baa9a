/**
 * A small program in place of a bot. `extra.does` of its job says what: `exit:<code>`, `wait` (until SIGTERM, then code 0),
 * `ignore` (SIGTERM does nothing), `leave:<ms>` (ends with code 4 so long after SIGTERM), `eat` (all memory that there is).
 */
import { readFileSync, unlinkSync } from 'node:fs'
import { text } from 'node:stream/consumers'

if (process.argv.includes('--stand-by')) {
  const start = await text(process.stdin)
  if (start === '') process.exit(0)
  const { environment, mapHosts } = JSON.parse(start)
  Object.assign(process.env, environment)
  process.argv.push(...mapHosts)
}
const job = process.env.STANDIN_JOB_URL === undefined ? takeFile() : await fetchJob()
const [does, value] = String(job.extra?.does ?? 'wait').split(':')
const environment = Object.keys(process.env).sort()
console.log(JSON.stringify({ arguments: process.argv.slice(2), environment, speechKey: job.transcription?.api_key }))
if (job.extra?.says) console.log(job.extra.says)

// Output that is still in the pipe would be lost when the process exits.
if (does === 'exit') await new Promise(() => process.stdout.write('', () => process.exit(Number(value))))
if (does === 'eat') for (const eaten = []; ; ) eaten.push(Buffer.alloc(16 * 1024 * 1024, 1))
process.on('SIGTERM', () => {
  console.log('SIGTERM')
  if (does === 'leave') setTimeout(() => process.exit(4), Number(value))
  else if (does === 'wait') process.exit(0)
})
console.log('waiting')
setInterval(() => {}, 1000)

function takeFile() {
  const file = process.env.STANDIN_JOB_FILE
  const text = readFileSync(file, 'utf8')
  unlinkSync(file)
  return JSON.parse(text)
}

async function fetchJob() {
  const headers = { authorization: `Bearer ${process.env.STANDIN_JOB_TOKEN}` }
  const answer = await fetch(process.env.STANDIN_JOB_URL, { headers })
  if (answer.ok) return answer.json()
  console.log(`no job: ${answer.status}`)
  process.exit(2)
}
