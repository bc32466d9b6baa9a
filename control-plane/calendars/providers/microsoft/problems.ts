/** Problems by the failing answers of Microsoft. */
import { z } from 'zod'
import { ProviderProblem, type ProviderProblemKind } from '../../ports.ts'
import { list, part, shortText } from '../fields.ts'
import { type Answer, type Question, retryAfterMs, saidBy } from '../transport.ts'

const errorBody = z.object({ error: part(z.object({ code: shortText, message: shortText })) })
const tokenError = z.object({ error: shortText, error_description: shortText, error_codes: list(z.number()) })

const NO_MAILBOX = new Set(['mailboxnotenabledforrestapi', 'mailboxnotsupportedforrestapi'])
const DEAD_CURSOR = new Set(['syncstatenotfound', 'syncstateinvalid', 'resyncrequired'])

/** A call of Graph. */
export function graphProblem(answer: Answer, question: Question): ProviderProblem {
  const { code = null, message = null } = errorBody.safeParse(answer.json).data?.error ?? {}
  return problem(kindOf(answer.status, code?.toLowerCase() ?? '', question), answer, question, [code, message])
}

function kindOf(status: number, code: string, { usesCursor }: Question): ProviderProblemKind {
  if (NO_MAILBOX.has(code)) return 'no_mailbox'
  if (DEAD_CURSOR.has(code) || status === 410 || (status === 400 && usesCursor)) return 'cursor_gone'
  if (status === 429) return 'rate_limited'
  if (status === 401) return 'token_refused'
  if (status === 403) return 'permission_denied'
  if (status === 404 || code === 'errorinvalididmalformed') return 'not_found'
  return 'unavailable'
}

/** Numbers of AADSTS errors: the app or its secret is unknown or expired, or the tenant is unknown. */
const CLIENT_CODES = new Set([7000215, 7000222, 7000218, 700016, 90002, 900023, 50194])
const CLIENT_ERRORS = new Set<string | null>(['invalid_client', 'unauthorized_client'])
const REFUSED_GRANTS = new Set<string | null>(['invalid_grant', 'interaction_required', 'consent_required'])

/** The exchange of a refresh token. */
export function microsoftTokenProblem(answer: Answer, question: Question): ProviderProblem {
  const read = tokenError.safeParse(answer.json).data
  const { error = null, error_description = null, error_codes = [] } = read ?? {}
  const isTemporary = answer.status >= 500 || error === 'temporarily_unavailable'
  const kind: ProviderProblemKind =
    answer.status === 429
      ? 'rate_limited'
      : isTemporary
        ? 'unavailable'
        : CLIENT_ERRORS.has(error) || error_codes.some((code) => CLIENT_CODES.has(code))
          ? 'client_refused'
          : REFUSED_GRANTS.has(error)
            ? 'revoked'
            : 'unavailable'
  return problem(kind, answer, question, [error, error_description])
}

function problem(kind: ProviderProblemKind, answer: Answer, question: Question, said: (string | null)[]) {
  const words = saidBy(said.filter((word) => word !== null).join(': '), question)
  const message = `Microsoft answered ${answer.status} to ${question.what}${words === '' ? '' : ` (${words})`}`
  return new ProviderProblem(kind, message, retryAfterMs(answer.headers))
}
