/** Shared by the administration commands: the opened installation, and the parsers of teams, rows and times. */

import { CommandMistake, type Output } from '@standin/wire/process/command-output.ts'
import { readInstant } from '../../platform/instant.ts'
import type { Log } from '../../platform/ports.ts'
import { actAs } from '../../store/audit-log.ts'
import { listTeams } from '../../store/teams/teams.ts'
import type { ServiceConfig } from '../config/config.ts'
import { type Installation, openInstallation } from '../wiring/installation.ts'

export interface CommandContext {
  config: ServiceConfig
  log: Log
  output: Output
}

type Act<T> = (installation: Installation) => Promise<T>

/** Opens the installation beside a running service, or alone if none runs. */
export async function onInstallation<T>({ config, log }: CommandContext, act: Act<T>): Promise<T> {
  const installation = await openInstallation(config, 'command', log)
  try {
    return await actAs({ kind: 'operator', id: null, address: null, teamId: null, entries: 0 }, () => act(installation))
  } finally {
    await installation.close()
  }
}

/** Finds a team by id or by name; without one, the oldest team. */
export async function teamOf({ database }: Installation, named: string | undefined): Promise<string> {
  const teams = await listTeams(database)
  if (named === undefined) return teams[0]!.team_id
  const found = teams.filter(({ team_id: id, name }) => id === named || name === named)
  if (found.length === 0) throw new CommandMistake(`There is no team "${named}"`)
  if (found.length > 1) throw new CommandMistake(`${found.length} teams are called "${named}": give the id of one`)
  return found[0]!.team_id
}

export function uuidOf(text: string, what: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text))
    throw new CommandMistake(`"${text}" is not the id of ${what}`)
  return text.toLowerCase()
}

export function timeOf(text: string, option: string): Date {
  const time = readInstant(text)
  if (time === null) throw new CommandMistake(`${option} is a time such as 2026-11-25T10:00:00Z`)
  return time
}
