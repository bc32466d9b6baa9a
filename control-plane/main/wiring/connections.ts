/** The conferencing platforms as the settings name it, and the stored credentials for launchers. */
import { type FreshTokenAnswer, freshTokenOf } from '../../connections/fresh-tokens.ts'
import { createJoinGrants } from '../../connections/join-grants.ts'
import type { CompleteApp, ConferencingPlatform, TeamsSignIn } from '../../connections/ports.ts'
import { createTeams } from '../../connections/teams.ts'
import { teamsTokenOf } from '../../connections/teams-tokens.ts'
import { connectionTokens } from '../../connections/tokens.ts'
import { createZoom } from '../../connections/zoom.ts'
import type { Meters } from '../../platform/meters.ts'
import { createGuardedClient } from '../../platform/outgoing/guarded-client.ts'
import type { JoinGrants, Log, Seals } from '../../platform/ports.ts'
import type { Database } from '../../store/database.ts'

/** For tokens that the database did not take. */
const CLOSE_PATIENCE_MS = 5_000

export interface OpenedPlatform {
  platform: ConferencingPlatform
  teams: TeamsSignIn
  close(): Promise<void>
}

/** The addresses are the operator's own choice, so they may be private ones; null: Zoom's. */
export function openPlatforms(address: string | null, signInAddress: string): OpenedPlatform {
  const client = createGuardedClient({ allowPrivate: address !== null })
  const signInClient = createGuardedClient({ allowPrivate: true })
  return {
    platform: createZoom({ client, address }),
    teams: createTeams({ client: signInClient, address: signInAddress }),
    close: async () => void (await Promise.all([client.close(), signInClient.close()])),
  }
}

export interface JoinTokens {
  /** For the start of a bot. */
  grants: JoinGrants
  /** For a further try of a running bot. */
  again(owner: { botId: string; attempt: number }): Promise<FreshTokenAnswer>
  close(): Promise<void>
}

export interface JoinTokenParts {
  database: Database
  seals: Seals
  platform: ConferencingPlatform
  teams: TeamsSignIn
  log: Log
  meters: Meters
  complete: CompleteApp
}

export function openJoinTokens({
  database,
  seals,
  platform,
  teams,
  log,
  meters,
  complete,
}: JoinTokenParts): JoinTokens {
  const tokens = connectionTokens({ database, seals, platform, log, meters, complete })
  const grants = createJoinGrants({ database, seals, platform, tokens, log, complete })
  return {
    grants,
    again: (owner) =>
      freshTokenOf(
        { database, grants, teamsToken: (...asked) => teamsTokenOf({ database, seals, teams, log }, ...asked) },
        owner,
      ),
    close: () => tokens.close(CLOSE_PATIENCE_MS),
  }
}
