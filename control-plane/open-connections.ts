/** The conferencing platform as the settings name it, and what launchers need of stored credentials. */
import { createJoinGrants } from './connections/join-grants.ts'
import type { ConferencingPlatform } from './connections/ports.ts'
import { TokenKeeper } from './connections/tokens.ts'
import { createZoom } from './connections/zoom.ts'
import { createGuardedClient } from './outgoing/guarded-client.ts'
import type { JoinGrants, Log, Seals } from './ports.ts'
import type { Database } from './store/database.ts'

export interface OpenedPlatform {
  platform: ConferencingPlatform
  close(): Promise<void>
}

/** `address` is the operator's own choice, so it may be a private one; null: Zoom's. */
export function openPlatform(address: string | null): OpenedPlatform {
  const client = createGuardedClient({ allowPrivate: address !== null })
  return { platform: createZoom({ client, address }), close: () => client.close() }
}

export function openJoinGrants(
  database: Database,
  seals: Seals,
  platform: ConferencingPlatform,
  log: Log,
): { grants: JoinGrants; close(): Promise<void> } {
  const tokens = new TokenKeeper({ database, seals, platform, log })
  return { grants: createJoinGrants({ database, seals, platform, tokens, log }), close: () => tokens.close() }
}
