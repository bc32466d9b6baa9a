#!/usr/bin/env node
/** The program of the command line. */
import { leaveRoot } from './leave-root.ts'
import { mendEnvironment, run } from './run.ts'

// Recordings are for the user who makes them: 0600 and 0700, also for what the children write.
process.umask(0o077)

/** The reader of our output may be gone, or the disk may be full. The bot continues without output. */
for (const output of [process.stdout, process.stderr]) output.on('error', () => {})

const { stdin: input, stdout: output, stderr: errors } = process
const environment = process.env
mendEnvironment(environment)
process.exitCode = await run(process.argv.slice(2), {
  ...{ input, output, errors, environment },
  leaveRoot: (need) => leaveRoot(need, environment, errors),
})
