#!/usr/bin/env node
/** The program `standin service`. */
import { run } from './run.ts'

const FAILED_MS = 1_000

// Files that the commands write are for the user of the service only: 0600 and 0700.
process.umask(0o077)
/** The reader of the output may close it before the service ends. */
for (const output of [process.stdout, process.stderr]) output.on('error', () => {})

const { stdin: input, stdout: output, stderr: errors } = process
process.exitCode = await run(process.argv.slice(2), { input, output, errors, environment: process.env })
// What a start that failed has left open does not keep the process. The pause is for the last lines of its output.
if (process.exitCode !== 0) setTimeout(() => process.exit(), FAILED_MS).unref()
