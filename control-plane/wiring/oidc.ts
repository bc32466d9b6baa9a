/** The OpenID provider as the settings name it. */
import type { OidcSignIn } from '../api/dependencies.ts'
import type { ServiceConfig } from '../config/config.ts'
import { createGuardedClient } from '../outgoing/guarded-client.ts'
import { createOidcProvider } from '../sign-in/oidc.ts'

/** Its address is the operator's own choice, so it may be a private one. */
export function openOidc(config: NonNullable<ServiceConfig['oidc']>): { signIn: OidcSignIn; close(): Promise<void> } {
  const client = createGuardedClient({ allowPrivate: true })
  const { name, domains } = config
  return { signIn: { ...createOidcProvider({ ...config, client }), name, domains }, close: () => client.close() }
}
