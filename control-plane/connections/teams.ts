/**
 * Tokens of bots that are registered at Microsoft Teams, from Microsoft's sign-in. Source:
 * docs/platform-notes/microsoft-teams.md#registered-bots.
 */
import { z } from 'zod'
import { type GuardedClient, ProviderError } from '../platform/ports.ts'
import type { TeamsApp, TeamsSignIn } from './ports.ts'
import { askProvider, passingProblem, saidBy, tokenSchema } from './provider-answers.ts'

const NAME = 'Microsoft'
const SCOPE = 'https://ic3.teams.office.com/.default'
const ANSWER_MS = 10_000

const answerSchema = z.object({ access_token: tokenSchema })
const refusalSchema = z.object({
  error: z.string().optional().catch(undefined),
  error_description: z.string().optional().catch(undefined),
})

/** `address`: of Microsoft's sign-in. */
export function createTeams({
  client,
  address,
}: {
  client: Pick<GuardedClient, 'request'>
  address: string
}): TeamsSignIn {
  return {
    async botToken({ tenantId, clientId, clientSecret }: TeamsApp) {
      const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope: SCOPE }
      const request = {
        url: `${address}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`,
        method: 'POST' as const,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(form).toString(),
        timeoutMs: ANSWER_MS,
      }
      const answer = await askProvider(client, request, [clientSecret, encodeURIComponent(clientSecret)])
      const token = answerSchema.safeParse(answer.json)
      if (answer.status === 200 && token.success) return token.data.access_token
      const { error, error_description: description } = refusalSchema.safeParse(answer.json).data ?? {}
      const said = saidBy(NAME, answer, [error, description])
      throw passingProblem(NAME, answer, said) ?? new ProviderError('client_refused', said)
    },
  }
}
