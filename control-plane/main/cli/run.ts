/** `standin service`: starts the service, and administers it from a shell. */
import { helpStyle } from '@standin/wire/process/command-help.ts'
import type { Io } from '@standin/wire/process/command-io.ts'
import { CommandMistake, createOutput, table } from '@standin/wire/process/command-output.ts'
import { loadEnvFile, loadSettingsOfData } from '@standin/wire/process/settings-file.ts'
import { Command, InvalidArgumentError, Option } from 'commander'
import { nearestOf } from '../../platform/nearest.ts'
import {
  type ConfigOptions,
  InvalidConfig,
  readServiceConfig,
  rowsOf,
  settingsInForce,
  unknownSettings,
} from '../config/config.ts'
import { SETTINGS } from '../config/table.ts'
import { createServiceLog, runService } from '../main.ts'
import { versionOfProgram } from '../wiring/installed-file.ts'

const EXIT_MISTAKE = 2
const EXIT_FAILED = 1

const collect = (text: string, before: string[] = []): string[] => [...before, text]
const positive = (text: string): string => {
  if (!(Number(text) > 0)) throw new InvalidArgumentError('It must be a number above 0.')
  return text
}

const EXAMPLES = `
Every option has a variable of the same meaning, such as STANDIN_PORT. Other settings are variables only, such as
DATABASE_URL and STANDIN_SECRET_KEYS. Variables may be written in settings.env of the data folder, or in the file of
--env-file. docs/operating.md describes them all; standin service config prints those in force.

Examples:
  standin service
  standin service --data /srv/standin --port 9000 --public-url https://bots.example.com
  standin service keys create --name "CI" --permission sending --json
  standin service endpoints create https://example.com/hook --events bot.completed,bot.failed
  standin service doctor

Exit codes: 0 done, 2 a mistake in the command or the settings, 1 any other error`

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Addresses:': ['host', 'port', 'public-url', 'link-url', 'trusted-proxies', 'private-addresses'],
  'Bots:': ['launcher', 'max-bots', 'bot-command', 'bot-image', 'bot-namespace', 'map-host', 'no-demo'],
}

type Flags = ConfigOptions & { json?: boolean }

type Administration = typeof import('./administration.ts')
type CommandContext = import('./administration.ts').CommandContext
/** Of the commands of `administration.ts`. */
type Choice<A extends unknown[]> = (commands: Administration) => (context: CommandContext, ...args: A) => Promise<void>

type Administer = <A extends unknown[]>(choose: Choice<A>) => (...args: [...A, Command]) => Promise<void>

/** Resolves with the exit code. `argv` are the words behind `standin service`. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let exitCode = 0
  let environment = io.environment
  try {
    const origins = new Map([...loadEnvFile(argv, io.environment), ...loadSettingsOfData(argv, io.environment)])
    environment = takeSecrets(io.environment)
    const program = createProgram({ ...io, environment }, origins, (code) => {
      exitCode = code
    })
    await program.parseAsync(argv, { from: 'user' })
    return exitCode
  } catch (error) {
    return explain(error, { ...io, environment })
  }
}

/** A copy of the environment; what is secret is then only in the copy, which no library and no child process finds. */
function takeSecrets(environment: Io['environment']): Io['environment'] {
  const copy = { ...environment }
  for (const { variable, isSecret } of rowsOf(SETTINGS)) if (isSecret) delete environment[variable]
  return copy
}

/** `origins`: the file that each setting of a file came from. `end` takes the exit code of a command. */
function createProgram(io: Io, origins: ReadonlyMap<string, string>, end: (exitCode: number) => void): Command {
  const configOf = (flags: Flags) => readServiceConfig(flags, io.environment, process.cwd())
  const program = new Command('standin service')
    .description('Runs the service: an HTTP API that sends bots into meetings, webhooks, and a process for every bot.')
    .version(versionOfProgram())
    .configureHelp({ ...helpStyle, showGlobalOptions: false })
    .optionsGroup('Output:')
    .option('--json', 'administration commands answer in JSON')
    .optionsGroup('Service:')
    .option('--env-file <file>', 'settings as NAME=value; variables that are set take precedence')
    .addHelpText('after', EXAMPLES)
    .allowExcessArguments()
    .exitOverride()
    .showHelpAfterError('(standin service --help explains)')
    .configureOutput({ writeOut: (text) => io.output.write(text), writeErr: (text) => io.errors.write(text) })

  for (const { option: flags, help, default: standard, isRepeatable } of rowsOf(SETTINGS)) {
    if (flags === undefined) continue
    const option = new Option(flags, help)
    if (isRepeatable) option.argParser(collect)
    if (standard !== undefined && !option.negate) option.description += ` (default: ${standard})`
    const group = Object.keys(GROUPS).find((heading) => GROUPS[heading]!.includes(option.long!.slice(2)))
    program.addOption(option.helpGroup(group ?? 'Service:'))
  }

  /** Runs the chosen command of `administration.ts` with the options of the whole line. */
  const administer: Administer =
    <A extends unknown[]>(choose: Choice<A>) =>
    async (...args: [...A, Command]) => {
      const flags = (args.at(-1) as Command).optsWithGlobals<Flags>()
      const output = createOutput(io.output, flags.json ?? false)
      const config = configOf(flags)
      const log = createServiceLog('warn', io.errors)
      for (const sentence of unknownSettings(io.environment)) log.warn({}, sentence)
      await choose(await import('./administration.ts'))({ config, log, output }, ...(args.slice(0, -1) as A))
    }

  program.action(async (flags: Flags) => {
    const [unknown] = program.args
    if (unknown !== undefined) {
      const nearest = nearestOf(
        unknown,
        program.commands.map((command) => command.name()),
      )
      program.error(`error: unknown command '${unknown}'${nearest === null ? '' : `\n(Did you mean ${nearest}?)`}`)
    }
    await runService(configOf(flags), io.environment, io.output)
  })

  const group = groupsOf(program, administer)
  program.commandsGroup('Access:')
  addAccessCommands(group)
  program.commandsGroup('Webhooks:')
  addEndpointCommands(group)
  program.commandsGroup('Operation:')
  program
    .command('doctor')
    .description('try what the service needs: database, storage, speech service, bots, port, clock')
    .action(async (_flags: Flags, command: Command) => {
      const flags = command.optsWithGlobals<Flags>()
      const { doctorCommand } = await import('./doctor.ts')
      const config = configOf(flags)
      end(await doctorCommand({ config, io, log: createServiceLog('error', io.errors) }, flags.json))
    })
  program
    .command('config')
    .description('the settings in force, and where each comes from; secrets are hidden')
    .action((_flags: Flags, command: Command) => {
      const flags = command.optsWithGlobals<Flags>()
      const rows = settingsInForce(flags, io.environment, origins)
      const withValue = rows.filter(({ value }) => value !== null)
      const lines = table(
        ['setting', 'value', 'from'],
        withValue.map(({ setting, value, from }) => [setting, value, from]),
        '',
      )
      lines.push('', `${rows.length - withValue.length} more have no value; --json lists them too.`)
      createOutput(io.output, flags.json ?? false).answer(rows, [...lines, ...unknownSettings(io.environment)])
      configOf(flags)
    })
  addInstallationCommands(program, group, administer)

  for (const command of program.commands.flatMap((group) => (group.commands.length > 0 ? group.commands : [group])))
    command.addHelpText('after', '\n--json, --data and --env-file of standin service work here too.')
  return program
}

/** Adds commands below a word, such as `keys`. Each comes back for its arguments and options. */
const groupsOf = (program: Command, administer: Administer) => (name: string, description: string) => {
  const parent = program.command(name).description(description)
  return <A extends unknown[]>(command: string, its: string, choose: Choice<A>): Command =>
    parent.command(command).description(its).action(administer(choose))
}
type Group = ReturnType<typeof groupsOf>

const ANY_TEAM = ['--team <team>', 'id or name (default: all teams)'] as const
const ONE_TEAM = ['--team <team>', 'id or name (default: the first team)'] as const

function addAccessCommands(group: Group): void {
  const keys = group('keys', 'API keys')
  keys('create', 'make a key, which is shown once', (its) => its.createKeyCommand)
    .option(...ONE_TEAM)
    .option('--name <name>', 'to tell keys apart')
    .option('--permission <permission>', 'full, or sending: may only create bots')
    .option('--expires <time>', 'when it stops working, such as 2027-01-01T00:00:00Z (default: never)')
  keys('list', 'keys without the keys themselves', (its) => its.listKeysCommand).option(...ANY_TEAM)
  keys('revoke', 'make a key useless at once', (its) => its.revokeKeyCommand).argument('<key id>')

  const people = group('people', 'people who use the dashboard')
  people('invite', 'make a person, and a link that signs them in once', (its) => its.invitePersonCommand)
    .argument('<e-mail>')
    .option(...ONE_TEAM)
    .option('--name <name>', 'shown to others (default: the e-mail address)')
    .option('--role <role>', 'owner, member or viewer (default: member)')
  people('list', 'people and their roles', (its) => its.listPeopleCommand).option(...ANY_TEAM)
  people('link', 'a link that signs a person in once', (its) => its.signInLinkCommand).argument(
    '[e-mail or id]',
    'default: the first owner',
  )

  const teams = group('teams', 'teams, their limits and tokens')
  teams('create', 'make a team and its first key', (its) => its.createTeamCommand).argument('<name>')
  teams('list', 'teams with their balance', (its) => its.listTeamsCommand)
  teams('set', 'change limits: null means no limit, 0 means none allowed', (its) => its.setTeamCommand)
    .argument('<team>', 'id or name')
    .argument('<key=value...>', 'such as balance=100 daily_cap=null plan=pro')
  teams('grant', 'add tokens', (its) => its.grantCommand)
    .argument('<team>', 'id or name')
    .argument('<tokens>', 'how many', positive)
}

function addEndpointCommands(group: Group): void {
  const endpoints = group('endpoints', 'addresses that webhooks are sent to')
  endpoints('create', 'make an endpoint; its secret is shown once', (its) => its.createEndpointCommand)
    .argument('<url>')
    .option(...ONE_TEAM)
    .option('--events <list>', 'such as bot.completed,bot.failed (default: all)')
  endpoints('list', 'endpoints without their secrets', (its) => its.listEndpointsCommand).option(...ANY_TEAM)
  endpoints('test', 'send a sample of an event', (its) => its.testEndpointCommand).argument('<endpoint id>')
  const rotation = 'make a new secret; the one before signs beside it for 24 hours'
  endpoints('rotate', rotation, (its) => its.rotateEndpointCommand).argument('<endpoint id>')
  const enabling = 'send to an endpoint again that was disabled because it did not answer'
  endpoints('enable', enabling, (its) => its.enableEndpointCommand).argument('<endpoint id>')
  endpoints('replay', 'send webhooks again under their ids', (its) => its.replayEndpointCommand)
    .argument('<endpoint id>')
    .option('--since <time>', 'events from this time on, such as 2026-11-25T10:00:00Z')
    .option('--until <time>', 'events before this time')
    .option('--bot <bot id>', 'events of this bot')
    .option('--delivery <number>', 'this one delivery')
    .option('--failed', 'only those that could not be delivered')
}

function addInstallationCommands(program: Command, group: Group, administer: Administer): void {
  program
    .command('audit-log')
    .description('who changed what of a team: JSON lines, newest first')
    .option('--team <team>', 'id or name (default: the first team)')
    .option('--since <time>', 'from this time on, such as 2026-11-25T10:00:00Z')
    .option('--until <time>', 'before this time')
    .action(administer((its) => its.auditLogCommand))

  const sealing = 'seal everything with the first key of STANDIN_SECRET_KEYS'
  group('secrets', 'secrets at rest')('rotate', sealing, (its) => its.rotateSecretsCommand)

  program
    .command('migrate')
    .description('bring the database to the tables of this version')
    .action(administer((its) => its.migrateCommand))
  program
    .command('drain')
    .description('start no new bots, and wait for those under way')
    .action(administer((its) => its.drainCommand))
  group('jobs', 'periodic work')('run', 'do a job now', (its) => its.runJobCommand).argument(
    '<job>',
    'retention, audit, deletions, idempotency or renewals',
  )
}

function explain(error: unknown, { errors, environment }: Io): number {
  const say = (line: string) => void errors.write(`${line}\n`)
  if (error instanceof InvalidConfig) {
    say('The service was not started; its settings have mistakes:')
    for (const { place, message, cure } of error.problems) say(`  ${place}: ${message}. ${cure}.`)
    for (const sentence of unknownSettings(environment)) say(`  ${sentence}`)
    return EXIT_MISTAKE
  }
  if (error instanceof CommandMistake) {
    say(error.message)
    return EXIT_MISTAKE
  }
  const { code, exitCode, message } = error as { code?: unknown; exitCode?: number; message?: string }
  if (String(code).startsWith('commander')) return exitCode === 0 ? 0 : EXIT_MISTAKE
  say(`standin service: ${message ?? String(error)}`)
  return EXIT_FAILED
}
