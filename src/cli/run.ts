/** One command: parses, does and explains it. */
import { homedir, tmpdir } from 'node:os'
import { inspect } from 'node:util'
import type { Io } from '@standin/wire/process/command-io.ts'
import { CommandMistake } from '@standin/wire/process/command-output.ts'
import { loadEnvFile } from '@standin/wire/process/settings-file.ts'
import { InvalidJob } from '../job/config.ts'
import { MockIsMissing } from './mock-package.ts'
import { createProgram } from './program.ts'
import { shownText } from './shown-text.ts'

const EXIT_MISTAKE = 2
const EXIT_DEFECT = 70

/** Resolves with the exit code. `argv` are the words behind the name of the program. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let exitCode = 0
  try {
    loadEnvFile(argv, io.environment)
    const program = createProgram({ ...io, environment: takeSecrets(io.environment) }, (code) => {
      exitCode = code
    })
    await program.parseAsync(argv, { from: 'user' })
    return exitCode
  } catch (error) {
    const { lines, exitCode: failed } = explained(error)
    for (const line of lines) io.errors.write(`${line}\n`)
    return failed
  }
}

function explained(error: unknown): { exitCode: number; lines: string[] } {
  if (error instanceof InvalidJob) {
    // A person who typed an option needs no word about a job.
    const isTyped = error.problems.every(({ path }) => path.startsWith('--'))
    const problems = error.problems.map(({ path, message }) => {
      const place = path === '' ? '' : `${shownText(path, 300)}: `
      return `${isTyped ? '' : '  '}${place}${shownText(message, 500)}`
    })
    return { exitCode: EXIT_MISTAKE, lines: isTyped ? problems : ['The job is not valid:', ...problems] }
  }
  if (error instanceof MockIsMissing || error instanceof CommandMistake)
    return { exitCode: EXIT_MISTAKE, lines: [error.message] }
  const { code, exitCode } = (error ?? {}) as { code?: unknown; exitCode?: number }
  // The parser has said it.
  if (String(code).startsWith('commander')) return { exitCode: exitCode === 0 ? 0 : EXIT_MISTAKE, lines: [] }
  return { exitCode: EXIT_DEFECT, lines: [inspect(error)] }
}

/** Secrets that the environment hands over. A child process, or a library, must not find them there later. */
const SECRETS = [
  'STANDIN_API_KEY',
  'STANDIN_JOB',
  'STANDIN_JOB_TOKEN',
  'STANDIN_CONTROL_TOKEN',
  'STANDIN_CONF_SDK_PWD',
  'STANDIN_CONF_OBF_TOKEN',
  'STANDIN_TRANSCRIPTION_KEY',
  'STANDIN_VOICE_KEY',
  'STANDIN_AGENT_KEY',
  'STANDIN_DEEPGRAM_KEY',
  'STANDIN_ASSEMBLYAI_KEY',
  'STANDIN_ELEVENLABS_KEY',
]

/** A copy of the environment; what is secret is then only in the copy. */
export function takeSecrets(environment: Record<string, string | undefined>): Record<string, string | undefined> {
  const copy = { ...environment }
  for (const name of SECRETS) delete environment[name]
  return copy
}

/**
 * Variables with which developers steer Playwright, which reads them when it is loaded: an inspector without an end, a
 * browser of another machine.
 */
const OF_DEVELOPERS = /^(PW|PLAYWRIGHT_|SELENIUM_)/

/** Before any library is loaded that reads the environment of this process. `home` is the system's `homedir`. */
export function mendEnvironment(environment: Record<string, string | undefined>, home: () => string = homedir): void {
  for (const name of Object.keys(environment)) if (OF_DEVELOPERS.test(name)) delete environment[name]
  try {
    home()
  } catch {
    // Neither HOME nor an entry of the user, as in containers that run as a number: libraries ask for it all the same.
    environment.HOME = tmpdir()
  }
}
