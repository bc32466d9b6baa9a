/** The sentence in the failure of a scheduled bot that was refused at its join time. */
import type { Refusal } from '../../store/bots/admission-checks.ts'

export function reasonOfRefusal(refusal: Refusal): string {
  switch (refusal.code) {
    case 'BYOK_TRANSCRIPTION_NOT_ENABLED_ON_PLAN':
      return 'Transcription with your own key is not part of the plan of this team.'
    case 'DAILY_BOT_CAP_REACHED':
      return `The daily limit of bots was reached: ${refusal.created} were sent within the last 24 hours.`
    case 'INSUFFICIENT_TOKENS':
      return `Insufficient tokens. Available: ${refusal.available}, Required: ${refusal.required}`
    case 'BOT_ALREADY_EXISTS':
      return refusal.why === 'recent'
        ? 'A bot of this team was sent to this meeting within the last five minutes.'
        : 'A bot with this deduplication key has not ended yet.'
  }
}
