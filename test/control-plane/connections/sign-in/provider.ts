/** A real OpenID provider on this machine, and a browser that signs in there and comes back. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'

export const CLIENT_ID = 'standin'
export const CLIENT_SECRET = 'a-secret-of-the-client'

export interface Account {
  id: string
  email?: string
  email_verified?: boolean
  name?: string
  /** Claims of the ID token that differ from those of the user information. */
  inIdToken?: { email?: string; email_verified?: boolean | undefined }
}

export async function startProvider(redirectUri: string, { claimsInIdToken = false } = {}) {
  const keys = await generateKeyPair('RS256', { extractable: true })
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const accounts = new Map<string, Account>()
  let current = ''
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code'],
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(keys.privateKey)), kid: 'test', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['for tests only'] },
    claims: { email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: !claimsInIdToken,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    pkce: { required: () => true },
    findAccount: (_context, id) => {
      const account = accounts.get(id)
      if (account === undefined) return undefined
      const { id: sub, inIdToken, ...claims } = account
      return { accountId: id, claims: (use) => ({ sub, ...claims, ...(use === 'id_token' && inIdToken) }) }
    },
    loadExistingGrant: async (context) => {
      const grant = new provider.Grant({ clientId: CLIENT_ID, accountId: context.oidc.session!.accountId! })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  provider.use(async (context, next) => {
    if (!context.path.startsWith('/interaction/')) return next()
    context.respond = false
    const result =
      current === '' ? { error: 'access_denied', error_description: 'Not today' } : { login: { accountId: current } }
    await provider.interactionFinished(context.req, context.res, result, { mergeWithLastSubmission: false })
  })
  server.on('request', provider.callback())

  return {
    issuer,
    privateKey: keys.privateKey,
    /** Signs this account in next; null: the person says no. */
    use(account: Account | null) {
      current = account?.id ?? ''
      if (account !== null) accounts.set(account.id, account)
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Follows the provider's redirects from `address`; resolves with the address behind them that is `redirectUri`. */
export async function signInAtProvider(address: string, redirectUri: string): Promise<URL> {
  const cookies = new Map<string, string>()
  let at = new URL(address)
  for (let step = 0; step < 10; step++) {
    if (at.href.startsWith(redirectUri)) return at
    const answer = await fetch(at, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    })
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    const location = answer.headers.get('location')
    if (location === null) throw new Error(`${at.pathname} answered ${answer.status}: ${await answer.text()}`)
    at = new URL(location, at)
  }
  throw new Error('The provider redirects without end')
}
