#!/usr/bin/env node
/** The command line: parses, explains and exits. */
import { CommandMistake } from '@standin/base/command-output.ts'
import { loadEnvFile } from '@standin/base/settings-file.ts'
import { InvalidJob } from '../job/config.ts'
import { MockIsMissing } from './mock-package.ts'
import { createProgram } from './program.ts'
import { shownText } from './shown-text.ts'
import { takeSecrets } from './take-secrets.ts'

const EXIT_MISTAKE = 2
const EXIT_DEFECT = 70

// Recordings are for the user who makes them: 0600 and 0700, also for what the children write.
process.umask(0o077)

/** The reader of our output may be gone, or the disk may be full. The bot continues without output. */
for (const output of [process.stdout, process.stderr]) output.on('error', () => {})

try {
  loadEnvFile(process.argv.slice(2), process.env)
  const environment = takeSecrets(process.env)
  await createProgram({
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
    environment,
  }).parseAsync()
} catch (error) {
  process.exitCode = explain(error)
}

function explain(error: unknown): number {
  if (error instanceof InvalidJob) {
    // A person who typed an option needs no word about a job.
    const isTyped = error.problems.every(({ path }) => path.startsWith('--'))
    if (!isTyped) console.error('The job is not valid:')
    for (const { path, message } of error.problems)
      console.error(`${isTyped ? '' : '  '}${path === '' ? '' : `${shownText(path, 300)}: `}${shownText(message, 500)}`)
    return EXIT_MISTAKE
  }
  if (error instanceof MockIsMissing || error instanceof CommandMistake) {
    console.error(error.message)
    return EXIT_MISTAKE
  }
  if (
    error instanceof Error &&
    'exitCode' in error &&
    String((error as { code?: unknown }).code).startsWith('commander')
  )
    return error.exitCode === 0 ? 0 : EXIT_MISTAKE
  console.error(error)
  return EXIT_DEFECT
}
