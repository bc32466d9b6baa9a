/** The words and options of `standin bots`. The code of a command is loaded when it runs. */

import { RECORDING_MODES } from '@standin/wire/codes.ts'
import type { Io } from '@standin/wire/process/command-io.ts'
import { CommandMistake } from '@standin/wire/process/command-output.ts'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { isBotId, providerOption, wholeNumber } from '../option-kinds.ts'
import type { ListFlags, SendFlags } from './bots.ts'
import type { DownloadFlags } from './download.ts'
import { addServiceCommand } from './service-command.ts'

const EXAMPLES = `
The service is that of --url, of STANDIN_URL, or the one that was started in this folder. Its key comes from --key-file,
STANDIN_API_KEY, or the data folder (service-data/api-key). docs/api.md describes the API itself.

Examples:
  standin bots send https://meet.google.com/abc-defg-hij --name "Notes for Ann" --watch
  id=$(standin bots send https://meet.google.com/abc-defg-hij --quiet)
  standin bots watch $id && standin bots download $id --only video transcription
  standin bots list --status failed --json

Exit codes:
  0    done; the watched bot completed
  1    the service refused, or could not be reached
  2    a mistake in the command
  3    the watched bot could not join
  4    the watched bot failed after recording began
  130  interrupted`

export function addBotsCommand(program: Command, io: Io, end: (exitCode: number) => void): void {
  const description = 'send bots through a running service, follow them, and download their files'
  const { command: bots, act } = addServiceCommand(program, { io, end }, 'bots', description)
  bots.addHelpText('after', EXAMPLES)

  bots
    .command('send')
    .description('send a bot into a meeting')
    .argument('[meeting-url]', 'the link of the meeting')
    .option('--name <name>', 'what the bot is called in the meeting (default: Standin)')
    .addOption(new Option('--mode <mode>', 'what is recorded').choices(RECORDING_MODES))
    .option('--entry-message <text>', 'written into the chat on admission')
    .option('--at <time>', 'when to join, such as 2026-12-01T09:00:00Z (default: at once)')
    .option('--captions', 'live transcript from the captions of the meeting')
    .option('--transcribe', "transcript after the meeting, by the service's own provider")
    .addOption(providerOption('--transcription-provider <name>'))
    .option('--extra <key=value>', 'repeated in answers and webhooks; may be given several times', keyValue)
    .option('--request <file|->', "the request's JSON body, for every other field; options replace its fields")
    .option('--idempotency-key <text>', 'a repeated command with the same text sends no second bot')
    .option('-w, --watch', 'follow the bot until it has ended')
    .action(
      act<[string | undefined], SendFlags & { watch?: boolean }>(async ({ client, flags, output, signal }, url) => {
        const { sendBot, shownTime } = await import('./bots.ts')
        const botId = await sendBot(client, url, flags)
        const next = flags.watch ? [] : [`Next: standin bots watch ${botId}`]
        const sent =
          flags.at === undefined
            ? [`The bot ${botId} is on its way.`, ...next]
            : [`The bot ${botId} joins ${shownTime(flags.at)} UTC.`, ...next, `Cancel: standin bots leave ${botId}`]
        output.answer({ bot_id: botId }, flags.quiet ? [botId] : sent)
        if (!flags.watch) return
        const { watchBot } = await import('./watch.ts')
        return watchBot(client, botId, { ...flags, signal }, io)
      }),
    )

  bots
    .command('list')
    .description('bots of the last 90 days, newest first')
    .option('--status <list>', 'such as completed,failed')
    .option('--name <text>', 'part of the name')
    .option('--platform <list>', 'meet, teams, zoom or jitsi')
    .option('--since <time>', 'created after, or with --scheduled joining after, such as 2026-12-01T09:00:00Z')
    .option('--scheduled', 'bots that join later, the next one first')
    .addOption(wholeNumber(new Option('-n, --limit <number>', 'how many at most').default(20), 1, 10_000))
    .action(
      act<[], ListFlags>(async ({ client, flags, output }) => {
        const { listBots, listScheduled, tableOf, tableOfScheduled } = await import('./bots.ts')
        const answer = <Bot extends { bot_id: string }>(found: Bot[], table: (bots: Bot[]) => readonly string[]) =>
          output.answer(found, flags.quiet ? found.map(({ bot_id: id }) => id) : table(found))
        if (flags.scheduled) answer(await listScheduled(client, flags), tableOfScheduled)
        else answer(await listBots(client, flags), tableOf)
        return 0
      }),
    )

  bots
    .command('get')
    .description('one bot: its status, people, reason of a failure, and files')
    .argument('<bot-id>', '', botId)
    .action(
      act<[string], object>(async ({ client, flags, output }, id) => {
        const { describe, describeScheduled, orScheduled, readBot, readScheduled } = await import('./bots.ts')
        const [bot, lines] = await orScheduled<[{ status: string }, string[]]>(
          readBot(client, id).then((one) => [one, describe(one)]),
          () => readScheduled(client, id).then((one) => [one, describeScheduled(one)]),
        )
        output.answer(bot, flags.quiet ? [bot.status] : lines)
        return 0
      }),
    )

  bots
    .command('watch')
    .description('what happens to a bot, line by line, until it has ended')
    .argument('<bot-id>', '', botId)
    .action(
      act<[string], object>(async ({ client, flags, signal }, id) => {
        const { watchBot } = await import('./watch.ts')
        return watchBot(client, id, { ...flags, signal }, io)
      }),
    )

  bots
    .command('leave')
    .description('make bots leave their meetings, or cancel scheduled ones; what they recorded is kept')
    .argument('<bot-id...>', '', (text, before: string[] = []) => [...before, botId(text)])
    .action(
      act<[string[]], object>(async ({ client, flags, output }, ids) => {
        const { makeLeave } = await import('./bots.ts')
        await makeLeave(client, ids, flags.quiet ? { ...output, answer() {} } : output)
        return 0
      }),
    )

  bots
    .command('chat')
    .description('write into the chat of the meeting')
    .argument('<bot-id>', '', botId)
    .argument('<message...>', '1 to 500 characters')
    .action(
      act<[string, string[]], object>(async ({ client, flags, output }, id, message) => {
        const { writeChat } = await import('./bots.ts')
        await writeChat(client, id, message.join(' '))
        if (!flags.quiet) output.answer({ bot_id: id }, ['The message was written.'])
        return 0
      }),
    )

  bots
    .command('say')
    .description('speak in the meeting; ends when it was said or cut')
    .argument('<bot-id>', '', botId)
    .argument('[text...]', '1 to 500 characters')
    .option('--interrupt', 'a person who speaks for half a second stops it')
    .option('--replace', 'in place of what the bot says now, and not after it')
    .option('--stop', 'say nothing, and stop what the bot says')
    .action(
      act<[string, string[]], { interrupt?: boolean; replace?: boolean; stop?: boolean }>(
        async ({ client, flags, output }, id, words) => {
          const { saySomething, stopSaying } = await import('./bots.ts')
          const { interrupt = false, replace = false, stop = false } = flags
          if (stop === words.length > 0) throw new CommandMistake('Name the text, or --stop')
          const quiet = flags.quiet ? { ...output, answer() {} } : output
          if (stop) {
            await stopSaying(client, id)
            quiet.answer({ bot_id: id }, ['The bot is silent.'])
          } else await saySomething(client, id, { text: words.join(' '), interrupt, replace }, quiet)
          return 0
        },
      ),
    )

  addAgentCommand({ command: bots, act })

  bots
    .command('download')
    .description("download a bot's files")
    .argument('<bot-id>', '', botId)
    .option('--out <folder>', "where the bot's folder is made", 'recordings')
    .addOption(new Option('--only <file...>', 'which of them').choices(FILE_NAMES))
    .action(
      act<[string], DownloadFlags>(async ({ client, flags, output, signal }, id) => {
        const { readBot } = await import('./bots.ts')
        const { downloadFiles } = await import('./download.ts')
        await downloadFiles(await readBot(client, id), { ...flags, signal }, output, io)
        return 0
      }),
    )

  addPageCommand({ command: bots, act })
  addWebhookCommands({ command: bots, act }, io)
}

function addPageCommand({ command: bots, act }: ReturnType<typeof addServiceCommand>): void {
  bots
    .command('show')
    .description('show a page as the camera, or as the shared screen, and as the voice of a bot')
    .argument('<bot-id>', '', botId)
    .argument('[url]', 'address of the page, https://')
    .option('--screen', 'as its shared screen')
    .option('--stop', 'end the page there')
    .action(
      act<[string, string?], { screen?: boolean; stop?: boolean }>(async ({ client, flags, output }, id, url) => {
        const { showPage } = await import('./bots.ts')
        if ((flags.stop === true) === (url !== undefined))
          throw new CommandMistake('Name the address of the page, or --stop')
        await showPage(client, id, flags.screen ? 'screen' : 'camera', url ?? null)
        output.answer({ bot_id: id }, [url === undefined ? 'The bot shows no page there.' : 'The page is shown.'])
        return 0
      }),
    )
}

function addAgentCommand({ command: bots, act }: ReturnType<typeof addServiceCommand>): void {
  bots
    .command('agent')
    .description('switch the agent that speaks in the meeting')
    .argument('<bot-id>', '', botId)
    .option('--on', 'it may answer again, also if people muted it')
    .option('--off', 'it is silent at once, and nothing is sent to its server')
    .action(
      act<[string], { on?: boolean; off?: boolean }>(async ({ client, flags, output }, id) => {
        const { switchAgent } = await import('./bots.ts')
        const { on = false, off = false } = flags
        if (on === off) throw new CommandMistake('Name --on or --off')
        await switchAgent(client, id, on)
        if (!flags.quiet) output.answer({ bot_id: id }, [on ? 'The agent is on.' : 'The agent is off.'])
        return 0
      }),
    )
}

/** Webhooks for a program of this machine. */
function addWebhookCommands({ command: bots, act }: ReturnType<typeof addServiceCommand>, io: Io): void {
  bots
    .command('listen')
    .description('webhooks of the team as they come, for a program on this machine')
    .option('--forward-to <address>', 'where to post them, such as http://localhost:9000', webAddress)
    .option('--events <list>', 'such as bot.completed,bot.failed (default: all)', (list) => list.split(','))
    .option('--print-secret', 'prints the secret of the signatures, and ends')
    .action(
      act<[], { forwardTo?: string; events?: string[]; printSecret?: true }>(
        async ({ client, flags, output, signal }) => {
          const [{ listen, secretOf }, { accessOf }] = await Promise.all([
            import('./listen.ts'),
            import('./service.ts'),
          ])
          const receiver = { ...flags, apiKey: accessOf(flags, io.environment).apiKey, signal }
          if (flags.printSecret) output.answer({ secret: secretOf(receiver.apiKey) }, [secretOf(receiver.apiKey)])
          else await listen(client, receiver, output, (sentence) => io.errors.write(`! ${sentence}\n`))
          return 0
        },
      ),
    )

  bots
    .command('trigger')
    .description('post a sample webhook to a program on this machine')
    .argument('<event>', 'such as bot.completed')
    .requiredOption('--forward-to <address>', 'where to post it, such as http://localhost:9000', webAddress)
    .action(
      act<[string], { forwardTo: string }>(async ({ flags, output, signal }, event) => {
        const [{ trigger }, { accessOf }] = await Promise.all([import('./listen.ts'), import('./service.ts')])
        const { url, apiKey } = accessOf(flags, io.environment)
        return (await trigger(event, url, { forwardTo: flags.forwardTo, apiKey, signal }, output)) ? 0 : 1
      }),
    )
}

const FILE_NAMES = ['video', 'audio', 'transcription', 'raw_transcription', 'diarization', 'chat_messages']

function botId(text: string): string {
  if (isBotId(text)) return text
  throw new InvalidArgumentError('It must be the id of a bot, such as 5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11.')
}

function webAddress(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text
  throw new InvalidArgumentError('It must be an address such as http://localhost:9000.')
}

function keyValue(text: string, before: Record<string, string> = {}): Record<string, string> {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (key === undefined) throw new InvalidArgumentError('Write it as key=value.')
  return { ...before, [key]: value! }
}
