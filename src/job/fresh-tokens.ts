/** Tokens of the control plane: each serves one try to join, so each further try asks for a fresh one. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { FreshToken } from '@standin/wire/control-link.ts'
import type { Job } from '@standin/wire/job.ts'
import { messageOf } from '@standin/wire/text/error-text.ts'
import type { ConfCredentials, TokenOrigin } from '../../packages/core/conf-credentials.ts'
import { BotError } from '../../packages/core/errors.ts'
import { addSecrets } from '../../packages/core/process/known-secrets.ts'

/** Before a failed request for a token of Microsoft Teams is repeated. */
const AGAIN_MS = 1_000

/** Null if the job has a fixed token. One instance serves all attempts of a bot, one after the other. */
export function freshTokensOf(job: Job, ask: () => Promise<FreshToken>): TokenOrigin | null {
  const first = job.conf_obf_token
  return job.conf_fresh_tokens && first ? { next: tokensInTurn(first, ask) } : null
}

/** Puts the tokens of the control plane in the place of the job's token. */
export function withFreshTokens(conf: ConfCredentials | null, origin: TokenOrigin | null): ConfCredentials | null {
  return conf === null || origin === null ? conf : { ...conf, onBehalfToken: origin }
}

/** Rejects with a BotError if there is none. */
function tokensInTurn(first: string, ask: () => Promise<FreshToken>): () => Promise<string> {
  let isFirst = true
  return async () => {
    if (isFirst) {
      isFirst = false
      return first
    }
    const answer = await ask().catch((cause: unknown) => {
      const reason = messageOf(cause)
      const message = `The on-behalf-of token could not be fetched: ${reason}.`
      throw new BotError('CONF_OBF_TOKEN_ERROR', message, { step: 'token', canRetry: true, cause })
    })
    if (answer.token !== undefined) return answer.token
    const message = answer.message ?? 'The control plane has no on-behalf-of token.'
    throw new BotError(answer.code ?? 'CONF_OBF_TOKEN_ERROR', message, { step: 'token', canRetry: answer.can_retry })
  }
}

/**
 * Gives the token by which a registered bot identifies itself to Microsoft Teams; null if the bot has none. It resolves with
 * null if no token can be had: the bot then joins as any guest, and `notice` says why.
 */
export function teamsTokenOf(
  job: Job,
  ask: () => Promise<FreshToken>,
  notice: (level: 'info' | 'warning', message: string) => void,
): (() => Promise<string | null>) | null {
  const { teams_token: fixed, teams_fresh_tokens: areFresh } = job
  if (!fixed && !areFresh) return null
  const asked = (): Promise<Omit<FreshToken, 'type' | 'id'>> =>
    fixed
      ? Promise.resolve({ token: fixed, can_retry: false })
      : ask().catch((error) => ({ message: `${messageOf(error)}.`, can_retry: true }))
  return async () => {
    let answer = await asked()
    if (answer.can_retry) {
      await sleep(AGAIN_MS)
      answer = await asked()
    }
    const { token = null, message = 'The control plane has none.' } = answer
    if (token === null)
      notice(
        'warning',
        `The bot joins as a guest, without the token of its registration at Microsoft Teams: ${message}`,
      )
    else notice('info', 'The bot identifies itself to Microsoft Teams as a registered bot.')
    addSecrets({ token })
    return token
  }
}
