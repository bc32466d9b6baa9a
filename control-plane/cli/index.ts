#!/usr/bin/env node
/** `standin service`: starts the service, and administers it from a shell. */
import { Command, InvalidArgumentError } from 'commander'
import { type ConfigOptions, InvalidConfig, readServiceConfig } from '../config/config.ts'
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
for (const name of ['DATABASE_URL', 'STANDIN_SECRET_KEYS']) delete process.env[name]

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
  .option('--data <folder>', 'where database, keys and recordings are (default: service-data)')
  .option('--host <address>', 'where to listen (default: 127.0.0.1)')
  .option('--port <number>', 'where to listen (default: 8080)')
  .option('--public-url <url>', 'address of the service for callers and links (default: the listening address)')
  .option('--link-url <url>', 'address that bots connect to (default: the listening address, path /link)')
  .option('--roles <list>', 'which of api, links, launcher, dispatcher, jobs run here (default: all)')
  .option('--launcher <kind>', 'what starts bots: process, docker or kubernetes (default: process)')
  .option('--max-bots <number>', 'bots at once (default: by cores and memory; on kubernetes as many as it takes)')
  .option('--bot-command <line>', 'starts a bot, split at spaces (default: standin join of this checkout)')
  .option('--bot-image <name>', 'image of the worker, for docker and kubernetes (default: standin)')
  .option('--bot-namespace <name>', 'namespace of bots on kubernetes (default: its own)')
  .option('--map-host <host=ip:port>', 'bots connect there for the host; for mock meetings', collect)
  .option('--storage <place>', 'folder:<path> or s3://bucket/prefix (default: recordings in the data folder)')
  .option('--private-addresses <allow>', 'webhooks and streams may be on private addresses and without TLS')
  .option('--trusted-proxies <list>', 'addresses or ranges whose x-forwarded-for is believed (default: none)')
  .option('--webhook-delays <seconds>', 'between attempts of webhooks (default: 5,10,300,900,1800,7200)')
  .option('--log-level <level>', 'debug, info, warn or error (default: info)')
  .option('--no-demo', 'offer no mock meeting')
  .option('--json', 'administration commands answer in JSON')
  .addHelpText('after', EXAMPLES)
  .showHelpAfterError('(standin help service explains)')
  .exitOverride()

interface Flags extends ConfigOptions {
  json?: boolean
}

const configOf = ({ demo, ...flags }: Flags) =>
  readServiceConfig({ ...flags, ...(demo === false && { demo }) }, environment, process.cwd())

type Administration = typeof import('./administration.ts')

/** Runs a command of `administration.ts` with the options of the whole line. */
function administer<A extends unknown[]>(
  run: (commands: Administration, context: import('./administration.ts').CommandContext, ...args: A) => Promise<void>,
): (...args: [...A, Command]) => Promise<void> {
  return async (...args) => {
    const command = args.at(-1) as Command
    const flags = command.optsWithGlobals<Flags>()
    const commands = await import('./administration.ts')
    const output = createOutput(process.stdout, flags.json ?? false)
    const config = configOf(flags)
    await run(commands, { config, log: createServiceLog('warn'), output }, ...(args.slice(0, -1) as A))
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
  .action(administer((commands, context, options: object) => commands.createKeyCommand(context, options)))
keys
  .command('list')
  .description('keys without the keys themselves')
  .option('--team <team>', 'id or name (default: all teams)')
  .action(administer((commands, context, options: object) => commands.listKeysCommand(context, options)))
keys
  .command('revoke')
  .description('make a key useless at once')
  .argument('<key id>')
  .action(administer((commands, context, id: string) => commands.revokeKeyCommand(context, id)))

const people = program.command('people').description('people who use the dashboard')
people
  .command('invite')
  .description('make a person, and a link that signs them in once')
  .argument('<e-mail>')
  .option('--team <team>', 'id or name (default: the first team)')
  .option('--name <name>', 'shown to others (default: the e-mail address)')
  .option('--role <role>', 'owner, member or viewer (default: member)')
  .action(
    administer((commands, context, email: string, options: object) =>
      commands.invitePersonCommand(context, email, options),
    ),
  )
people
  .command('list')
  .description('people and their roles')
  .option('--team <team>', 'id or name (default: all teams)')
  .action(administer((commands, context, options: object) => commands.listPeopleCommand(context, options)))
people
  .command('link')
  .description('a link that signs a person in once')
  .argument('[e-mail or id]', 'default: the first owner')
  .action(administer((commands, context, who: string | undefined) => commands.signInLinkCommand(context, who)))

const teams = program.command('teams').description('teams, their limits and tokens')
teams
  .command('create')
  .description('make a team and its first key')
  .argument('<name>')
  .action(administer((commands, context, name: string) => commands.createTeamCommand(context, name)))
teams
  .command('list')
  .description('teams with their balance')
  .action(administer((commands, context) => commands.listTeamsCommand(context)))
teams
  .command('set')
  .description('change limits: null means no limit, 0 means none allowed')
  .argument('<team>', 'id or name')
  .argument('<key=value...>', 'such as balance=100 daily_cap=null plan=pro')
  .action(
    administer((commands, context, team: string, settings: string[]) =>
      commands.setTeamCommand(context, team, settings),
    ),
  )
teams
  .command('grant')
  .description('add tokens')
  .argument('<team>', 'id or name')
  .argument('<tokens>', 'how many', positive)
  .action(administer((commands, context, team: string, tokens: string) => commands.grantCommand(context, team, tokens)))

const endpoints = program.command('endpoints').description('addresses that webhooks are sent to')
endpoints
  .command('create')
  .description('make an endpoint; its secret is shown once')
  .argument('<url>')
  .option('--team <team>', 'id or name (default: the first team)')
  .option('--events <list>', 'such as bot.completed,bot.failed (default: all)')
  .action(
    administer((commands, context, url: string, options: object) =>
      commands.createEndpointCommand(context, url, options),
    ),
  )
endpoints
  .command('list')
  .description('endpoints without their secrets')
  .option('--team <team>', 'id or name (default: all teams)')
  .action(administer((commands, context, options: object) => commands.listEndpointsCommand(context, options)))
endpoints
  .command('test')
  .description('send a sample of an event')
  .argument('<endpoint id>')
  .action(administer((commands, context, id: string) => commands.testEndpointCommand(context, id)))
endpoints
  .command('rotate')
  .description('make a new secret; the one before signs beside it for 24 hours')
  .argument('<endpoint id>')
  .action(administer((commands, context, id: string) => commands.rotateEndpointCommand(context, id)))
endpoints
  .command('enable')
  .description('send to an endpoint again that was disabled because it did not answer')
  .argument('<endpoint id>')
  .action(administer((commands, context, id: string) => commands.enableEndpointCommand(context, id)))
endpoints
  .command('replay')
  .description('send webhooks again under their ids')
  .argument('<endpoint id>')
  .option('--since <time>', 'events from this time on, such as 2026-11-25T10:00:00Z')
  .option('--until <time>', 'events before this time')
  .option('--bot <bot id>', 'events of this bot')
  .option('--delivery <number>', 'this one delivery')
  .option('--failed', 'only those that could not be delivered')
  .action(
    administer((commands, context, id: string, options: object) =>
      commands.replayEndpointCommand(context, id, options),
    ),
  )

program
  .command('secrets')
  .description('secrets at rest')
  .command('rotate')
  .description('seal everything with the first key of STANDIN_SECRET_KEYS')
  .action(administer((commands, context) => commands.rotateSecretsCommand(context)))
program
  .command('migrate')
  .description('bring the database to the tables of this version')
  .action(administer((commands, context) => commands.migrateCommand(context)))
program
  .command('drain')
  .description('start no new bots, and wait for those under way')
  .action(administer((commands, context) => commands.drainCommand(context)))
program
  .command('jobs')
  .description('periodic work')
  .command('run')
  .description('do a job now')
  .argument('<job>', 'retention, audit, deletions, idempotency, renewals or alerts')
  .action(administer((commands, context, name: string) => commands.runJobCommand(context, name)))

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
