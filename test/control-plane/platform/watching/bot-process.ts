/** A simulated bot in a separate process, as the process launcher starts one. */
import { readFileSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { jobSchema } from '@standin/wire/job.ts'
import { startSimulatedBot } from '../../launching/simulated-bot.ts'

const file = process.env.STANDIN_JOB_FILE!
const job = jobSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
rmSync(file)
const bot = startSimulatedBot(job, 1)
while (bot.evidence === null) await sleep(50)
process.exit(bot.evidence.exitCode ?? 1)
