/** Administration commands: their changes and their answers. */
import { setTimeout as sleep } from 'node:timers/promises'
import { CommandMistake, table } from '@standin/wire/process/command-output.ts'
import { shownEntry } from '../../api/v2/audit-log/routes.ts'
import { JOB_NAMES, startJobs } from '../../files/jobs/index.ts'
import { ownKeys } from '../../files/jobs/provider-deletion.ts'
import { NO_METERS } from '../../platform/meters.ts'
import { rotateSeals } from '../../platform/secrets/rotate.ts'
import { listAuditLog } from '../../store/audit-log.ts'
import { askForDrain, countOpenBots } from '../../store/drain.ts'
import type { PageRequest } from '../../store/pages.ts'
import { createKey, listKeys, PERMISSIONS, revokeKey, sealApiKey, sealForTeam } from '../../store/teams/keys.ts'
import {
  createTeam,
  grantTokens,
  listTeams,
  PLANS,
  type Plan,
  setTeam,
  type TeamChange,
} from '../../store/teams/teams.ts'
import { openServiceCalendars } from '../wiring/calendars.ts'
import { openFiles } from '../wiring/files.ts'
import { publicUrlOf } from '../wiring/http-address.ts'
import { type CommandContext, onInstallation, teamOf, timeOf, uuidOf } from './context.ts'

export type { CommandContext } from './context.ts'
export * from './endpoints.ts'
export * from './people.ts'

// --- Keys ------------------------------------------------------------------------------------------------------------

export async function createKeyCommand(
  context: CommandContext,
  { team, name, permission, expires }: { team?: string; name?: string; permission?: string; expires?: string },
): Promise<void> {
  const allowed = PERMISSIONS.find((one) => one === (permission ?? 'full'))
  if (allowed === undefined) throw new CommandMistake(`--permission is one of ${PERMISSIONS.join(', ')}`)
  const expiresAt = expires === undefined ? null : timeOf(expires, '--expires')
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) throw new CommandMistake('--expires is a time to come')
  const made = await onInstallation(context, async (installation) => {
    const teamId = await teamOf(installation, team)
    const seal = await sealForTeam(installation.database, installation.seals, teamId)
    return createKey(installation.database, { teamId, name: name ?? 'Key', permission: allowed, seal, expiresAt })
  })
  context.output.answer({ key_id: made.keyId, key: made.key, expires_at: expiresAt }, [
    made.key,
    `Key id: ${made.keyId}. It is shown only now.`,
    ...(expiresAt === null ? [] : [`It expires at ${expiresAt.toISOString()}.`]),
  ])
}

export async function listKeysCommand(context: CommandContext, { team }: { team?: string }): Promise<void> {
  const keys = await onInstallation(context, async (installation) =>
    listKeys(installation.database, team === undefined ? undefined : await teamOf(installation, team)),
  )
  context.output.answer(
    keys,
    table(
      ['key id', 'name', 'prefix', 'permission', 'last used', 'expires', 'revoked'],
      keys.map((key) => [
        key.key_id,
        key.name,
        key.prefix,
        key.permission,
        key.last_used_at,
        key.expires_at,
        key.revoked_at,
      ]),
      'There is no key.',
    ),
  )
}

export async function revokeKeyCommand(context: CommandContext, keyId: string): Promise<void> {
  const id = uuidOf(keyId, 'a key')
  const isRevoked = await onInstallation(context, ({ database }) => revokeKey(database, id))
  if (!isRevoked) throw new CommandMistake(`There is no key ${id}`)
  context.output.answer({ key_id: id }, [`Key ${id} is revoked.`])
}

// --- Teams -----------------------------------------------------------------------------------------------------------

export async function createTeamCommand(context: CommandContext, name: string): Promise<void> {
  if (name.trim() === '') throw new CommandMistake('The name of a team is not empty')
  const made = await onInstallation(context, ({ database, seals }) =>
    database.transaction().execute(async (tx) => {
      const teamId = await createTeam(tx, name)
      const seal = sealApiKey(seals)
      const { key } = await createKey(tx, { teamId, name: 'First key', permission: 'full', seal })
      return { team_id: teamId, key }
    }),
  )
  context.output.answer(made, [made.key, `Team id: ${made.team_id}. The key is shown only now.`])
}

export async function listTeamsCommand(context: CommandContext): Promise<void> {
  const teams = await onInstallation(context, ({ database }) => listTeams(database))
  context.output.answer(
    teams,
    table(
      ['team id', 'name', 'balance', 'reserved'],
      teams.map((team) => [team.team_id, team.name, team.balance ?? 'unlimited', team.reserved]),
      'There is no team.',
    ),
  )
}

export async function setTeamCommand(
  context: CommandContext,
  team: string,
  settings: readonly string[],
): Promise<void> {
  const change = teamChangeOf(settings)
  const teamId = await onInstallation(context, async (installation) => {
    const id = await teamOf(installation, team)
    await setTeam(installation.database, id, change)
    return id
  })
  context.output.answer({ team_id: teamId, ...change }, [`Team ${teamId}: ${settings.join(', ')}`])
}

const SWITCHES = ['byok_transcription', 'api_key_in_webhooks'] as const
const LIMITS = ['daily_cap', 'requests_per_second', 'retention_days', 'calendars'] as const
const MAX_LIMIT = 1_000_000_000

/** Reads `key=value`. Throws with every mistake. */
export function teamChangeOf(settings: readonly string[]): TeamChange {
  const change: TeamChange = {}
  const mistakes: string[] = []
  for (const setting of settings) {
    const [, key = setting, text = ''] = /^([a-z_]+)=(.*)$/s.exec(setting) ?? []
    const number = text === 'null' ? null : Number(text)
    const isNumber = number === null || (text.trim() !== '' && number >= 0 && number <= MAX_LIMIT)
    const limit = LIMITS.find((one) => one === key)
    const toggle = SWITCHES.find((one) => one === key)
    if (limit !== undefined) {
      if (isNumber && (number === null || Number.isInteger(number))) change[limit] = number
      else mistakes.push(`${key} is null (no limit) or a whole number from 0`)
    } else if (key === 'balance') {
      if (isNumber) change.balance = number
      else mistakes.push('balance is null (unlimited) or a number of tokens from 0')
    } else if (toggle !== undefined) {
      if (text === 'true' || text === 'false') change[toggle] = text === 'true'
      else mistakes.push(`${key} is true or false`)
    } else if (key === 'plan') {
      if (Object.hasOwn(PLANS, text)) change.plan = text as Plan
      else mistakes.push(`plan is one of ${Object.keys(PLANS).join(', ')}`)
    } else {
      const known = ['balance', ...LIMITS, ...SWITCHES, 'plan'].join(', ')
      mistakes.push(`"${key}" is not a setting of a team; there are: ${known}`)
    }
  }
  if (mistakes.length > 0) throw new CommandMistake(mistakes.join('\n'))
  return change
}

export async function grantCommand(context: CommandContext, team: string, tokens: string): Promise<void> {
  const amount = Number(tokens)
  if (!(amount > 0 && amount <= MAX_LIMIT)) throw new CommandMistake('Tokens are a number above 0')
  const granted = await onInstallation(context, async (installation) => {
    const id = await teamOf(installation, team)
    return { team_id: id, balance: (await grantTokens(installation.database, id, amount)) ?? null }
  })
  context.output.answer(granted, [`Team ${granted.team_id} has ${granted.balance ?? 'unlimited'} tokens.`])
}

// --- The installation ------------------------------------------------------------------------------------------------

export async function rotateSecretsCommand(context: CommandContext): Promise<void> {
  const rotation = await onInstallation(context, ({ database, seals }) => rotateSeals(database, seals))
  context.output.answer(rotation, [
    `${rotation.resealed} values were sealed with the first key.`,
    ...rotation.failed.map((place) => `Could not be opened: ${place}`),
    ...Object.entries(rotation.left).map(([key, count]) => `${count} values belong to key ${key}`),
  ])
}

export async function migrateCommand(context: CommandContext): Promise<void> {
  const migrated = await onInstallation(context, async (installation) => installation.migrated)
  context.output.answer(
    { migrated },
    migrated.length > 0 ? migrated.map((name) => `Done: ${name}`) : ['Nothing to do.'],
  )
}

const DRAIN_LOOK_MS = 1000

/** Every launcher that runs now starts no more bots; resolves when the bots under way are over. */
export async function drainCommand(context: CommandContext): Promise<void> {
  const startedAt = Date.now()
  await onInstallation(context, async ({ database, isAlone }) => {
    if (isAlone) throw new CommandMistake('No service runs on this data folder, so there is nothing to drain')
    await askForDrain(database)
    let before = -1
    for (;;) {
      const count = await countOpenBots(database)
      if (count === 0) return
      if (count !== before) context.output.note(`${count} bots are under way`)
      before = count
      await sleep(DRAIN_LOOK_MS)
    }
  })
  const seconds = Math.round((Date.now() - startedAt) / 1000)
  context.output.answer({ bots: 0, waited_seconds: seconds }, ['No bot is under way. The service can be stopped.'])
}

/** The names that the shell knows, and the jobs that they are. */
export async function runJobCommand(context: CommandContext, name: string): Promise<void> {
  const job = JOB_NAMES.find((one) => one === name)
  if (job === undefined) throw new CommandMistake(`There is no job "${name}"; there are: ${JOB_NAMES.join(', ')}`)
  const done = await onInstallation(context, async (installation) => {
    const { database, seals } = installation
    const { config, log } = context
    const publicUrl = publicUrlOf(config)
    const files = await openFiles(config, installation, publicUrl)
    const calendars = openServiceCalendars(config, { database, seals, log, meters: NO_METERS, publicUrl })
    const renewals = () => calendars.renew()
    // The running service deletes at the provider.
    const tools = { database, files: files.store, log, provider: null, ownKeyOf: ownKeys(seals), keep: config.keep }
    const jobs = startJobs({ ...tools, periodic: [], renewals })
    try {
      return await jobs.run(job)
    } finally {
      await jobs.close()
      await calendars.close()
      files.close()
    }
  })
  context.output.answer({ job, done }, [`${job}: ${JSON.stringify(done)}`])
}

const LOG_PAGE_SIZE = 1000

/** Prints the entries of a team, newest first, one on each line. */
export async function auditLogCommand(
  context: CommandContext,
  { team, since, until }: { team?: string; since?: string; until?: string },
): Promise<void> {
  const filter = {
    after: since === undefined ? undefined : timeOf(since, '--since'),
    before: until === undefined ? undefined : timeOf(until, '--until'),
  }
  await onInstallation(context, async (installation) => {
    const teamId = await teamOf(installation, team)
    let from: PageRequest['from'] = null
    do {
      const page = await listAuditLog(installation.database, teamId, filter, { limit: LOG_PAGE_SIZE, from })
      for (const row of page.rows) {
        const entry = shownEntry(row)
        context.output.answer(entry, [JSON.stringify(entry)])
      }
      from = page.next && { place: page.next, direction: 'after' }
    } while (from !== null)
  })
}
