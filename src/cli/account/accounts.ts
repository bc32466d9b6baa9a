/** `standin account`: one request each, and the sign-in before. */

import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { answerOf, type Schemas, type StandinClient } from '@standin/client/index.ts'
import { type StorageState, sessionOf } from '@standin/wire/account-session.ts'
import { readHostMapping } from '@standin/wire/network/host-mapping.ts'
import type { AccountPlatform } from '@standin/wire/platforms.ts'
import { chromiumOf } from '@standin/wire/process/chromium.ts'
import { sandboxObstacle } from '@standin/wire/process/chromium-sandbox.ts'
import type { Io } from '@standin/wire/process/command-io.ts'
import { CommandMistake, table } from '@standin/wire/process/command-output.ts'
import { parseJson } from '@standin/wire/text/json-text.ts'
import { signInByHand } from '../../../platforms/browser/sign-in.ts'
import { readGivenFile } from '../job-options.ts'
import { fileProblem, shownText } from '../shown-text.ts'
import type { AddFlags, DEEDS } from './commands.ts'

type Client = StandinClient['v2']
type Account = Schemas['Account']

const SIGN_IN: Readonly<Record<AccountPlatform, string>> = {
  meet: 'https://accounts.google.com/ServiceLogin?continue=https://meet.google.com/',
  teams: 'https://teams.microsoft.com/',
  zoom: 'https://zoom.us/signin',
}

interface Terminal {
  io: Io
  signal: AbortSignal
}

const of = (id: string) => ({ params: { path: { account_id: id } } })

export async function addAccount(client: Client, flags: AddFlags, terminal: Terminal): Promise<Account> {
  const { platform, label, address, pool, maxMeetings, replace } = flags
  const state = flags.import === undefined ? await signIn(flags, terminal) : readState(flags.import)
  // The cookies of other hosts stay on this machine.
  const read = sessionOf(platform, state)
  if ('problem' in read) throw new CommandMistake(`The session ${read.problem}: was the sign-in complete?`)
  const given = { address, pool, max_meetings: maxMeetings }
  const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const body = { label, session: read.session as Record<string, unknown>, ...fields }
  const answer =
    replace === undefined
      ? await answerOf(client.POST('/v2/accounts', { body: { platform, ...body } }))
      : await answerOf(client.PATCH('/v2/accounts/{account_id}', { ...of(replace), body }))
  return answer.data
}

function readState(file: string): unknown {
  try {
    return parseJson(readGivenFile(file))
  } catch (error) {
    // The parser quotes the text, which is secret.
    const reason = error instanceof SyntaxError ? 'the session is not JSON' : fileProblem(error, file)
    throw new CommandMistake(`--import: ${reason}`)
  }
}

async function signIn({ platform, mapHost }: AddFlags, { io, signal }: Terminal): Promise<StorageState> {
  const { DISPLAY, XAUTHORITY = join(homedir(), '.Xauthority') } = io.environment
  if (!DISPLAY)
    throw new CommandMistake(
      'A person signs in with a browser window, and this machine has no display (DISPLAY): sign in on another one and use --import',
    )
  const obstacle = await sandboxObstacle()
  if (obstacle !== null)
    io.errors.write(
      `Chromium runs without its own sandbox: ${obstacle}. Sign in as an ordinary user, or on another machine with --import.\n`,
    )
  const mappedHosts = mapHost.flatMap((text) => readHostMapping(text) ?? [])
  return signInByHand({
    ...{ url: SIGN_IN[platform], display: { DISPLAY, XAUTHORITY }, mappedHosts, signal },
    chromium: chromiumOf(io.environment),
    async whenSignedIn() {
      const lines = createInterface({ input: io.input, output: io.errors })
      await lines.question('Sign in with the browser window, then press Enter here. ', { signal })
      lines.close()
    },
  })
}

export async function listAccounts(client: Client): Promise<Account[]> {
  return (await answerOf(client.GET('/v2/accounts'))).data
}

export async function changeAccount(client: Client, id: string, deed: keyof typeof DEEDS): Promise<void> {
  if (deed === 'delete') await answerOf(client.DELETE('/v2/accounts/{account_id}', of(id)))
  else if (deed === 'check') await answerOf(client.POST('/v2/accounts/{account_id}/check', of(id)))
  else {
    const body = { is_disabled: deed === 'disable' }
    await answerOf(client.PATCH('/v2/accounts/{account_id}', { ...of(id), body }))
  }
}

export function tableOf(accounts: readonly Account[]): readonly string[] {
  return table(
    ['account id', 'platform', 'state', 'meetings', 'pool', 'address', 'label'],
    accounts.map((account) => [
      account.account_id,
      account.platform,
      account.is_disabled ? 'disabled' : account.state,
      `${account.meetings} of ${account.max_meetings}`,
      shownText(account.pool, 30),
      account.address,
      shownText(account.label, 40),
    ]),
    'There are no accounts.',
  )
}
