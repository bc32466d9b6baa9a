#!/usr/bin/env node
/** `standin service`: starts the service, and administers it from a shell. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { type ConfigOptions, InvalidConfig, readServiceConfig, rowsOf, unknownSettings } from '../config/config.ts'
import { SETTINGS } from '../config/table.ts'
import { createServiceLog, runService } from '../main.ts'
import { versionOfProgram } from '../wiring/installed-file.ts'
import { CommandMistake, createOutput } from './output.ts'

const EXIT_MISTAKE = 2
const EXIT_FAILED = 1

// Files that the commands write are for the user of the service only: 0600 and 0700.
process.umask(0o077)
/** The reader of the output may close it before the service ends. */
for (const output of [process.stdout, process.stderr]) output.on('error', () => {})

const environment = { ...process.env }
/** Libraries and child processes must not find them there later. */
for (const { variable, isSecret } of rowsOf(SETTINGS)) if (isSecret) delete process.env[variable]

const collect = (text: string, before: string[] = []): string[] => [...before, text]
const positive = (text: string): string => {
  if (!(Number(text) > 0)) throw new InvalidArgumentError('must be a number above 0')
  return text
}

const EXAMPLES = `
Every option has a variable of the same meaning, such as STANDIN_PORT. Other settings are variables only, such as
DATABASE_URL and STANDIN_SECRET_KEYS. docs/service.md describes them all.

Examples:
  standin service
  standin service --data /srv/standin --port 9000 --public-url https://bots.example.com
  standin service keys create --name "CI" --permission sending --json
  standin service endpoints create https://example.com/hook --events bot.completed,bot.failed
  standin service jobs run retention`

const program = new Command('standin service')
  .description('Runs the service: an HTTP API that sends bots into meetings, webhooks, and a process for every bot.')
  .version(versionOfProgram())
  .option('--json', 'administration commands answer in JSON')
  .addHelpText('after', EXAMPLES)
  .showHelpAfterError('(standin help service explains)')
  .exitOverride()

for (const { option: flags, help, default: standard, isRepeatable } of rowsOf(SETTINGS)) {
  if (flags === undefined) continue
  const option = new Option(flags, help)
  if (isRepeatable) option.argParser(collect)
  if (standard !== undefined && !option.negate) option.description += ` (default: ${standard})`
  program.addOption(option)
}

type Flags = ConfigOptions & { json?: boolean }

const configOf = (flags: Flags) => readServiceConfig(flags, environment, process.cwd())

type Administration = typeof import('./administration.ts')
type CommandContext = import('./administration.ts').CommandContext

/** Runs the chosen command of `administration.ts` with the options of the whole line. */
function administer<A extends unknown[]>(
  choose: (commands: Administration) => (context: CommandContext, ...args: A) => Promise<void>,
): (...args: [...A, Command]) => Promise<void> {
  return async (...args) => {
    const flags = (args.at(-1) as Command).optsWithGlobals<Flags>()
    const output = createOutput(process.stdout, flags.json ?? false)
    const config = configOf(flags)
    const log = createServiceLog('warn')
    for (const sentence of unknownSettings(environment)) log.warn({}, sentence)
    await choose(await import('./administration.ts'))({ config, log, output }, ...(args.slice(0, -1) as A))
  }
}

program.action(async (flags: Flags) => {
  await runService(configOf(flags), environment, process.stdout)
})

const keys = program.command('keys').description('API keys')
keys
  .command('create')
  .description('make a key, which is shown once')
  .option('--team <team>', 'id or name (default: the first team)')
  .option('--name <name>', 'to tell keys apart')
  .option('--permission <permission>', 'full, or sending: may only create bots')
  .option('--expires <time>', 'when it stops working, such as 2027-01-01T00:00:00Z (default: never)')
  .action(administer((its) => its.createKeyCommand))
keys
  .command('list')
  .description('keys without the keys themselves')
  .option('--team <team>', 'id or name (default: all teams)')
  .action(administer((its) => its.listKeysCommand))
keys
  .command('revoke')
  .description('make a key useless at once')
  .argument('<key id>')
  .action(administer((its) => its.revokeKeyCommand))

const people = program.command('people').description('people who use the dashboard')
people
  .command('invite')
  .description('make a person, and a link that signs them in once')
  .argument('<e-mail>')
  .option('--team <team>', 'id or name (default: the first team)')
  .option('--name <name>', 'shown to others (default: the e-mail address)')
  .option('--role <role>', 'owner, member or viewer (default: member)')
  .action(administer((its) => its.invitePersonCommand))
people
  .command('list')
  .description('people and their roles')
  .option('--team <team>', 'id or name (default: all teams)')
  .action(administer((its) => its.listPeopleCommand))
people
  .command('link')
  .description('a link that signs a person in once')
  .argument('[e-mail or id]', 'default: the first owner')
  .action(administer((its) => its.signInLinkCommand))

const teams = program.command('teams').description('teams, their limits and tokens')
teams
  .command('create')
  .description('make a team and its first key')
  .argument('<name>')
  .action(administer((its) => its.createTeamCommand))
teams
  .command('list')
  .description('teams with their balance')
  .action(administer((its) => its.listTeamsCommand))
teams
  .command('set')
  .description('change limits: null means no limit, 0 means none allowed')
  .argument('<team>', 'id or name')
  .argument('<key=value...>', 'such as balance=100 daily_cap=null plan=pro')
  .action(administer((its) => its.setTeamCommand))
teams
  .command('grant')
  .description('add tokens')
  .argument('<team>', 'id or name')
  .argument('<tokens>', 'how many', positive)
  .action(administer((its) => its.grantCommand))

const endpoints = program.command('endpoints').description('addresses that webhooks are sent to')
endpoints
  .command('create')
  .description('make an endpoint; its secret is shown once')
  .argument('<url>')
  .option('--team <team>', 'id or name (default: the first team)')
  .option('--events <list>', 'such as bot.completed,bot.failed (default: all)')
  .action(administer((its) => its.createEndpointCommand))
endpoints
  .command('list')
  .description('endpoints without their secrets')
  .option('--team <team>', 'id or name (default: all teams)')
  .action(administer((its) => its.listEndpointsCommand))
endpoints
  .command('test')
  .description('send a sample of an event')
  .argument('<endpoint id>')
  .action(administer((its) => its.testEndpointCommand))
endpoints
  .command('rotate')
  .description('make a new secret; the one before signs beside it for 24 hours')
  .argument('<endpoint id>')
  .action(administer((its) => its.rotateEndpointCommand))
endpoints
  .command('enable')
  .description('send to an endpoint again that was disabled because it did not answer')
  .argument('<endpoint id>')
  .action(administer((its) => its.enableEndpointCommand))
endpoints
  .command('replay')
  .description('send webhooks again under their ids')
  .argument('<endpoint id>')
  .option('--since <time>', 'events from this time on, such as 2026-11-25T10:00:00Z')
  .option('--until <time>', 'events before this time')
  .option('--bot <bot id>', 'events of this bot')
  .option('--delivery <number>', 'this one delivery')
  .option('--failed', 'only those that could not be delivered')
  .action(administer((its) => its.replayEndpointCommand))

program
  .command('audit-log')
  .description('who changed what of a team: JSON lines, newest first')
  .option('--team <team>', 'id or name (default: the first team)')
  .option('--since <time>', 'from this time on, such as 2026-11-25T10:00:00Z')
  .option('--until <time>', 'before this time')
  .action(administer((its) => its.auditLogCommand))
program
  .command('secrets')
  .description('secrets at rest')
  .command('rotate')
  .description('seal everything with the first key of STANDIN_SECRET_KEYS')
  .action(administer((its) => its.rotateSecretsCommand))
program
  .command('migrate')
  .description('bring the database to the tables of this version')
  .action(administer((its) => its.migrateCommand))
program
  .command('drain')
  .description('start no new bots, and wait for those under way')
  .action(administer((its) => its.drainCommand))
program
  .command('jobs')
  .description('periodic work')
  .command('run')
  .description('do a job now')
  .argument('<job>', 'retention, audit, deletions, idempotency, renewals or alerts')
  .action(administer((its) => its.runJobCommand))

// Each command has its own options, and `--json` may follow them.
for (const group of [program, ...program.commands])
  for (const command of [group, ...group.commands])
    command.exitOverride().showHelpAfterError('(standin service --help explains)')

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = explain(error)
}

function explain(error: unknown): number {
  if (error instanceof InvalidConfig) {
    console.error('The service was not started; its settings have mistakes:')
    for (const { place, message, cure } of error.problems) console.error(`  ${place}: ${message}. ${cure}.`)
    for (const sentence of unknownSettings(environment)) console.error(`  ${sentence}`)
    return EXIT_MISTAKE
  }
  if (error instanceof CommandMistake) {
    console.error(error.message)
    return EXIT_MISTAKE
  }
  const { code, exitCode, message } = error as { code?: unknown; exitCode?: number; message?: string }
  if (String(code).startsWith('commander')) return exitCode === 0 ? 0 : EXIT_MISTAKE
  console.error(`standin service: ${message ?? String(error)}`)
  return EXIT_FAILED
}
