/** Refusals of the admission as errors of the API, for every generation. */
import type { Refusal } from '../store/bots/admission-checks.ts'
import { type ApiError, refusals } from './http/errors.ts'

export function errorOfRefusal(refusal: Refusal): ApiError {
  switch (refusal.code) {
    case 'BYOK_TRANSCRIPTION_NOT_ENABLED_ON_PLAN':
      return refusals.byokTranscription()
    case 'DAILY_BOT_CAP_REACHED':
      return refusals.dailyCap(refusal.created, refusal.retryAfterSeconds ?? undefined)
    case 'INSUFFICIENT_TOKENS':
      return refusals.insufficientTokens(refusal.available, refusal.required)
    case 'BOT_ALREADY_EXISTS':
      return refusal.why === 'recent' ? refusals.botAlreadyExists() : refusals.deduplicationKey()
  }
}
