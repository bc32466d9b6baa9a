/** A credential as it is answered: without secrets and tokens. */
import type { z } from 'zod'
import type { ShownConnection } from '../../../store/connections/connections.ts'
import { at } from '../common.ts'
import type { credentialSchema } from './schema.ts'

export function credential(row: ShownConnection): z.output<typeof credentialSchema> {
  const scopes = row.scopes as string[]
  return {
    credential_id: row.id,
    name: row.name,
    platform: row.platform as 'zoom' | 'teams',
    tenant_id: row.tenant_id,
    credential_type: row.type as 'app' | 'user',
    conf_user_id: row.user_id,
    conf_account_id: row.account_id,
    conf_email: row.email,
    conf_display_name: row.display_name,
    scopes: scopes.length === 0 ? null : scopes.join(','),
    state: row.state as 'active' | 'invalid',
    last_error_message: row.last_error_message,
    last_error_at: at(row.last_error_at),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    extra: row.extra as Record<string, unknown> | null,
  }
}
