/** The words and options of `standin account`. The code of a command is loaded when it runs. */

import { ACCOUNT_PLATFORMS, type AccountPlatform } from '@standin/wire/platforms.ts'
import type { Io } from '@standin/wire/process/command-io.ts'
import { type Command, Option } from 'commander'
import { addServiceCommand } from '../bots/service-command.ts'
import { wholeNumber } from '../option-kinds.ts'

const EXAMPLES = `
Examples:
  standin account add --platform meet --label "Notes of Example" --address notes@example.com
  standin account add --platform zoom --label Notes --import state.json
  standin account list`

export interface AddFlags {
  platform: AccountPlatform
  label: string
  address?: string
  pool?: string
  maxMeetings?: number
  import?: string
  replace?: string
  mapHost: string[]
}

export function addAccountCommand(program: Command, io: Io, end: (exitCode: number) => void): void {
  const description = 'accounts of a running service, with which bots join signed in'
  const { command: account, act } = addServiceCommand(program, { io, end }, 'account', description)
  account.addHelpText('after', EXAMPLES)

  account
    .command('add')
    .description('sign in with a browser window, and give the session to the service')
    .addOption(new Option('--platform <platform>', 'of the account').choices(ACCOUNT_PLATFORMS).makeOptionMandatory())
    .requiredOption('--label <text>', 'for people who choose among several')
    .option('--address <e-mail>', 'of the account: calendars can invite it')
    .option('--pool <name>', 'from which bots may take it (default: default)')
    .addOption(wholeNumber(new Option('--max-meetings <number>', 'at once (default: 20)'), 1, 100))
    .option('--import <file>', "no window: the session is a file of Playwright's storageState")
    .option('--replace <account-id>', 'a new session for an account that is there')
    .option('--map-host <host=ip:port>', 'for mock meetings', (text, before: string[]) => [...before, text], [])
    .action(
      act<[], AddFlags>(async ({ client, flags, output, signal }) => {
        const { addAccount } = await import('./accounts.ts')
        const { account_id: id } = await addAccount(client, flags, { io, signal })
        output.answer({ account_id: id }, flags.quiet ? [id] : [`The account ${id} has its session.`])
        return 0
      }),
    )

  account
    .command('list')
    .description('all accounts, oldest first')
    .action(
      act<[], object>(async ({ client, flags, output }) => {
        const { listAccounts, tableOf } = await import('./accounts.ts')
        const found = await listAccounts(client)
        output.answer(found, flags.quiet ? found.map(({ account_id: id }) => id) : tableOf(found))
        return 0
      }),
    )

  for (const [name, help] of Object.entries(DEEDS))
    account
      .command(name)
      .description(help)
      .argument('<account-id>')
      .action(
        act<[string], object>(async ({ client, flags, output }, id) => {
          const { changeAccount } = await import('./accounts.ts')
          await changeAccount(client, id, name as keyof typeof DEEDS)
          if (!flags.quiet) output.answer({ account_id: id }, [`${name}: done.`])
          return 0
        }),
      )
}

export const DEEDS = {
  check: 'put an account back into its pool; the next bot that gets it finds out whether it is signed in',
  disable: 'give the account to no further bot',
  enable: 'give it to bots again',
  delete: 'delete the account with its session',
}
