/** A simulated bot as a separate process. It reads its job as the worker does. */
import { readFile, rm } from 'node:fs/promises'
import type { Job } from '@standin/wire/job.ts'
import { startSimulatedBot } from './simulated-bot.ts'

const file = process.env.STANDIN_JOB_FILE!
const job = JSON.parse(await readFile(file, 'utf8')) as Job
await rm(file)
const bot = startSimulatedBot(job, 1)
process.on('SIGTERM', () => bot.stop())
const looking = setInterval(() => {
  if (bot.evidence === null) return
  clearInterval(looking)
  process.exitCode = bot.evidence.exitCode ?? 1
}, 50)
