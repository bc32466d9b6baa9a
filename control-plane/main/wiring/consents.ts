/** The operator's apps at the providers, as the settings name them. */
import type { ConsentApp, ConsentProvider } from '../../api/dependencies.ts'
import { type ConsentSettings, createConsent } from '../../connections/sign-in/consent.ts'
import { createGuardedClient } from '../../platform/outgoing/guarded-client.ts'
import type { ServiceConfig } from '../config/config.ts'
import type { Closing } from './closing.ts'

const GOOGLE = 'https://www.googleapis.com/auth/'

type Page = Omit<ConsentSettings, 'clientId' | 'clientSecret' | 'client'>

/** Scopes that are needed, and no more. A person with several accounts chooses one, unless the account is known. */
function pagesOf({ providers, apps }: Pick<ServiceConfig, 'providers' | 'apps'>): Record<ConsentProvider, Page> {
  const google = [`${GOOGLE}calendar.events.readonly`, `${GOOGLE}calendar.calendarlist.readonly`]
  const microsoft = `${providers.microsoftLogin}/${apps.microsoft.tenant}/oauth2/v2.0`
  const zoom = `${providers.zoom ?? 'https://zoom.us'}/oauth`
  return {
    google: {
      page: providers.googleConsent,
      exchange: providers.googleToken,
      secretIn: 'form',
      scopes: google,
      // Without "consent" Google gives a refresh token the first time only.
      parameters: (account) => ({
        scope: google.join(' '),
        access_type: 'offline',
        ...(account === null ? { prompt: 'consent select_account' } : { prompt: 'consent', login_hint: account }),
      }),
    },
    microsoft: {
      page: `${microsoft}/authorize`,
      exchange: `${microsoft}/token`,
      secretIn: 'form',
      scopes: ['Calendars.Read'],
      parameters: (account) => ({
        scope: 'Calendars.Read offline_access',
        ...(account === null ? { prompt: 'select_account' } : { login_hint: account }),
      }),
    },
    zoom: {
      page: `${zoom}/authorize`,
      exchange: `${zoom}/token`,
      secretIn: 'header',
      scopes: ['user:read:user', 'user:read:token'],
      // The app itself names its scopes.
      parameters: () => ({}),
    },
  }
}

export function openConsents(
  config: Pick<ServiceConfig, 'providers' | 'apps'>,
  closing: Closing,
): Partial<Record<ConsentProvider, ConsentApp>> {
  // The operator named the addresses, so private ones may be among them.
  const client = createGuardedClient({ allowPrivate: true })
  closing.add('pages of consent', () => client.close())
  const opened = Object.entries(pagesOf(config)).flatMap(([provider, page]) => {
    const { clientId, clientSecret } = config.apps[provider as ConsentProvider]
    if (clientId === null || clientSecret === null) return []
    const app = { clientId, clientSecret: '', tenantId: config.apps.microsoft.tenant }
    return [[provider, { app, ...createConsent({ ...page, clientId, clientSecret, client }) }]]
  })
  return Object.fromEntries(opened)
}

/**
 * Adds the secret of the operator's app: calendars and users that were connected by it are stored without, so that the operator
 * can replace it. Callers of the API cannot leave a secret out.
 */
export function completeBy({ clientId, clientSecret }: { clientId: string | null; clientSecret: string | null }) {
  return <App extends { clientId: string; clientSecret: string }>(app: App): App =>
    app.clientSecret === '' && app.clientId === clientId && clientSecret !== null ? { ...app, clientSecret } : app
}

/** The operator's own app at Zoom; null if there is none. */
export function zoomAppOf({ apps }: Pick<ServiceConfig, 'apps'>) {
  const { clientId, clientSecret } = apps.zoom
  return clientId === null || clientSecret === null ? null : { clientId, clientSecret }
}
