/** The bot of pages.system.test.ts: it records at once, and stays until it is asked to leave if the page says that it does. */
import { readFile, rm } from 'node:fs/promises'
import type { Job } from '@standin/wire/job.ts'
import { startSimulatedBot } from '../control-plane/launching/simulated-bot.ts'

const file = process.env.STANDIN_JOB_FILE!
const job = JSON.parse(await readFile(file, 'utf8')) as Job
await rm(file)
const stays = job.extra !== null && Object.keys(job.extra ?? {}).length > 0
const bot = startSimulatedBot({ ...job, extra: { plan: { meetingMs: stays ? 600_000 : 100, chats: 1 } } }, 1)
process.on('SIGTERM', () => bot.stop())
const looking = setInterval(() => {
  if (bot.evidence === null) return
  clearInterval(looking)
  process.exitCode = bot.evidence.exitCode ?? 1
}, 20)
