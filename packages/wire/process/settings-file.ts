/** Settings in files of the form `NAME=value`, as `.env` files have it. */
import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { messageOf } from '../text/error-text.ts'
import { writtenText } from '../text/written-text.ts'
import { CommandMistake } from './command-output.ts'

type Environment = Record<string, string | undefined>

/** The file of the data folder, which the service and each of its commands read. */
const OF_DATA_FOLDER = 'settings.env'

/**
 * Adds the settings of the file that `--env-file` or `STANDIN_ENV_FILE` names; variables that are set already stay. No other
 * file is read, so a `.env` in the current folder changes nothing. Returns where each setting came from. Throws
 * CommandMistake if the file cannot be read, or is not in UTF-8.
 */
export function loadEnvFile(args: readonly string[], environment: Environment): Map<string, string> {
  const file = optionOf(args, '--env-file') ?? environment.STANDIN_ENV_FILE
  return file ? load(resolve(file), environment) : new Map()
}

/** The same with `settings.env` of the data folder, if it is there. */
export function loadSettingsOfData(args: readonly string[], environment: Environment): Map<string, string> {
  const file = resolve(join(optionOf(args, '--data') ?? (environment.STANDIN_DATA || 'service-data'), OF_DATA_FOLDER))
  const info = statSync(file, { throwIfNoEntry: false })
  if (info === undefined) return new Map()
  // Its settings name programs that the service starts.
  if ((info.mode & 0o022) !== 0 || ![0, process.getuid?.()].includes(info.uid))
    throw new CommandMistake(`${file} can be changed by others: let its owner alone write it (chmod 600)`)
  return load(file, environment)
}

/** A value in quotes may have several lines. */
const QUOTED = /^([ \t]*(?:export[ \t]+)?[A-Za-z_][\w.]*[ \t]*=)[ \t]*(["'`])[\s\S]*?\2/gm
const SETTING = /^\s*(?:export\s+)?[A-Za-z_][\w.]*\s*=/
/** Shells and other readers of such files keep the sign, where this one ends the value. */
const UNCLEAR_COMMENT = /=(?:[^#]*[^#\s])?#/

/** Throws CommandMistake for a line that would be left out, or cut, in silence. No message repeats it: it may hold a secret. */
function checkLines(file: string, text: string): void {
  const unquoted = text.replace(QUOTED, (value, name) => `${name}text ${value.replace(/[^\n]/g, '')}`)
  const lines = unquoted.split('\n')
  for (const [index, line] of lines.entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue
    const place = `${file}, line ${index + 1}`
    if (!SETTING.test(line)) throw new CommandMistake(`${place}: write NAME=value, or # before a comment`)
    if (UNCLEAR_COMMENT.test(line))
      throw new CommandMistake(`${place}: put a value with # in quotes, or a blank before a comment`)
  }
}

function load(file: string, environment: Environment): Map<string, string> {
  const origins = new Map<string, string>()
  const text = textOf(file)
  checkLines(file, text)
  for (const [name, value] of Object.entries(parseEnv(text))) {
    if (environment[name] !== undefined) continue
    environment[name] = value
    origins.set(name, file)
  }
  return origins
}

function textOf(file: string): string {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    throw new CommandMistake(`The settings cannot be read: ${messageOf(error)}`)
  }
  try {
    return writtenText(bytes)
  } catch (error) {
    throw new CommandMistake(`${file} ${messageOf(error)}`)
  }
}

/** Read before the parser runs, because the parser's program is made from the environment. */
function optionOf(args: readonly string[], option: string): string | undefined {
  const at = args.findIndex((word) => word === option || word.startsWith(`${option}=`))
  if (at === -1) return undefined
  return args[at] === option ? args[at + 1] : args[at]!.slice(option.length + 1)
}
