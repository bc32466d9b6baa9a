/** On-behalf-of tokens of the control plane: each serves one try to join, so each further try asks for a fresh one. */

import { messageOf } from '@standin/base/error-text.ts'
import type { FreshToken } from '@standin/wire/control-link.ts'
import type { Job } from '@standin/wire/job.ts'
import type { ConfCredentials, TokenOrigin } from '../../core/conf-credentials.ts'
import { BotError } from '../../core/errors.ts'

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
