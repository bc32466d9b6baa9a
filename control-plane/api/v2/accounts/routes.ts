/** Accounts with which bots join signed in: `/v2/accounts`. */

import { MAX_SESSION_BYTES, sessionOf } from '@standin/wire/account-session.ts'
import type { AccountPlatform } from '@standin/wire/platforms.ts'
import { z } from 'zod'
import {
  changeAccount,
  checkAccount,
  createAccount,
  deleteAccount,
  hasRoomForAccount,
  listAccounts,
  MAX_ACCOUNTS,
  readAccount,
  type ShownAccount,
} from '../../../store/accounts/accounts.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../http/errors.ts'
import { type App, callerOf } from '../../http/generation.ts'
import { onceOutside } from '../../http/idempotency.ts'
import { at, documented, done, message, succeeded, success } from '../common.ts'
import { accountParams, accountSchema, changeAccountBody, createAccountBody } from './schema.ts'

/** A browser's whole state is far larger than the part of one platform. */
const BODY_BYTES = 8 * MAX_SESSION_BYTES

export function accountRoutes(app: App, { database, readList, seals }: ApiDependencies): void {
  const route = documented(app, 'Accounts')
  const found = (id: string, row: ShownAccount | undefined) => {
    if (row === undefined) throw refusals.accountNotFound(id)
    return succeeded(shown(row))
  }

  route.post('/accounts', {
    bodyLimit: BODY_BYTES,
    config: { isIdempotent: true },
    summary: 'Store an account by its session',
    description:
      'A person signs in with a browser, and its storage state is the session. The session is encrypted and never answered. Bots name no account but a pool (`account`, `account_pool`).',
    body: createAccountBody,
    example: () => ({
      platform: 'meet',
      label: 'Notes of Example',
      address: 'notes@example.com',
      session: { cookies: [{ name: 'SID', value: 'value-of-the-cookie', domain: '.google.com' }] },
    }),
    status: 201,
    answer: success(accountSchema),
    refusals: [409],
    handle: async (request, reply) =>
      onceOutside(database, request, reply, async () => {
        const { teamId } = callerOf(request)
        if (!(await hasRoomForAccount(database, teamId))) throw refusals.tooManyAccounts(MAX_ACCOUNTS)
        const made = await createAccount(database, seals, { ...request.body, teamId })
        return { status: 201, body: succeeded(shown(made)) }
      }),
  })

  route.get('/accounts', {
    summary: 'List accounts, oldest first',
    description: `All of them at once: a team has at most ${MAX_ACCOUNTS}.`,
    answer: success(z.array(accountSchema)),
    async handle(request) {
      const { teamId } = callerOf(request)
      return succeeded((await readList(teamId, listAccounts, teamId)).map(shown))
    },
  })

  route.get('/accounts/:account_id', {
    summary: 'An account',
    params: accountParams,
    answer: success(accountSchema),
    refusals: [404],
    async handle(request) {
      const { account_id: id } = request.params
      return found(id, await readAccount(database, callerOf(request).teamId, id))
    },
  })

  route.patch('/accounts/:account_id', {
    bodyLimit: BODY_BYTES,
    summary: 'Change an account, or give it a new session',
    description:
      'A disabled account is given to no further bot. With `session` a person signed in again: the state is `unknown`.',
    params: accountParams,
    body: changeAccountBody,
    example: () => ({ max_meetings: 10 }),
    answer: success(accountSchema),
    refusals: [404],
    async handle(request) {
      const { account_id: id } = request.params
      const { teamId } = callerOf(request)
      const { session, ...settings } = request.body
      const row = await readAccount(database, teamId, id)
      if (row === undefined) throw refusals.accountNotFound(id)
      const checked = session && sessionOf(row.platform as AccountPlatform, session)
      if (checked && 'problem' in checked) throw refusals.validation(`body/session ${checked.problem}`)
      const change = { ...settings, session: checked?.session }
      return found(id, await changeAccount(database, seals, { teamId, id }, change))
    },
  })

  route.post('/accounts/:account_id/check', {
    summary: 'Put an account back into its pool, to be checked by the next bot',
    description:
      'The state becomes `unknown`, also of an account that was signed out. Only a join shows whether a platform still knows the session: the next bot that gets the account sets `ok` or `signed_out`.',
    params: accountParams,
    answer: success(accountSchema),
    refusals: [404],
    async handle(request) {
      const { account_id: id } = request.params
      return found(id, await checkAccount(database, callerOf(request).teamId, id))
    },
  })

  route.delete('/accounts/:account_id', {
    summary: 'Delete an account with its session',
    description: 'Bots in their meetings continue; no further bot gets it.',
    params: accountParams,
    answer: message,
    refusals: [404],
    async handle(request) {
      const { account_id: id } = request.params
      if (!(await deleteAccount(database, callerOf(request).teamId, id))) throw refusals.accountNotFound(id)
      return done('Account deleted successfully')
    },
  })
}

function shown({
  id,
  team_id: _team,
  session_version: _version,
  ...row
}: ShownAccount): z.output<typeof accountSchema> {
  return {
    ...row,
    account_id: id,
    platform: row.platform as AccountPlatform,
    state: row.state as 'ok',
    state_at: at(row.state_at),
    session_at: row.session_at.toISOString(),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
