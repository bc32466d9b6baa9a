/** The conferencing platform as the settings name it, and the stored credentials for launchers. */
import { type FreshTokenAnswer, freshTokenOf } from '../connections/fresh-tokens.ts'
import { createJoinGrants } from '../connections/join-grants.ts'
import type { CompleteApp, ConferencingPlatform } from '../connections/ports.ts'
import { TokenKeeper } from '../connections/tokens.ts'
import { createZoom } from '../connections/zoom.ts'
import type { Meters } from '../meters.ts'
import { createGuardedClient } from '../outgoing/guarded-client.ts'
import type { JoinGrants, Log, Seals } from '../ports.ts'
import type { Database } from '../store/database.ts'

export interface OpenedPlatform {
  platform: ConferencingPlatform
  close(): Promise<void>
}

/** `address` is the operator's own choice, so it may be a private one; null: Zoom's. */
export function openPlatform(address: string | null): OpenedPlatform {
  const client = createGuardedClient({ allowPrivate: address !== null })
  return { platform: createZoom({ client, address }), close: () => client.close() }
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
  log: Log
  meters: Meters
  complete: CompleteApp
}

export function openJoinTokens({ database, seals, platform, log, meters, complete }: JoinTokenParts): JoinTokens {
  const tokens = new TokenKeeper({ database, seals, platform, log, meters, complete })
  const grants = createJoinGrants({ database, seals, platform, tokens, log, complete })
  return {
    grants,
    again: (owner) => freshTokenOf(database, grants, owner),
    close: () => tokens.close(),
  }
}
