/** The page of consent of both calendar stand-ins. */
import { answerConsent, CONSENT_HEADERS, type ConsentRules } from '../shared/consent.ts'
import type { Reply, Request } from '../shared/scripted-server.ts'
import type { StandInAccount, TokenOffice } from './account.ts'

interface Rules extends Pick<ConsentRules, 'provider' | 'scopes' | 'problems'> {
  /** Whether the code gives a refresh token too. */
  isOffline: (scopes: readonly string[]) => boolean
}

export function consentReply(
  { tokens, accounts }: { tokens: TokenOffice; accounts: readonly StandInAccount[] },
  { method, url, body }: Request,
  { isOffline, ...rules }: Rules,
): Reply {
  const answer = answerConsent(url.searchParams, method === 'POST' ? new URLSearchParams(body) : null, {
    ...rules,
    apps: [tokens],
    needsChallenge: true,
    accounts: accounts.map(({ email }) => ({ id: email, email })),
    allow({ account: email, scopes }, bound) {
      const account = accounts.find((one) => one.email === email)!
      return tokens.codes.make({ account, scopes, isOffline: isOffline(scopes) }, bound)
    },
  })
  return 'location' in answer
    ? { status: 302, headers: { location: answer.location } }
    : { status: answer.status, headers: CONSENT_HEADERS, body: answer.page }
}
