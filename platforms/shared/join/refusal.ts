/** Sentences about a page that does not let the bot in. */

import type { ErrorCode } from '@standin/wire/codes.ts'
import type { Reason } from '@standin/wire/reasons.ts'
import { BotError } from '../../../packages/core/errors.ts'
import type { CommonSnapshot } from '../page/types.ts'

/** The page's own wording is cut after it. Characters. */
const MAX_TEXT_LENGTH = 200

/** The meaning of a page state before admission. */
export interface Refusal {
  code: ErrorCode
  /** Says what the page showed and what it means; `{text}` is the page's own wording. */
  sentence: string
  canRetry?: boolean
  /** As the page alone says it; the time of the answer may say more (`answer-time.ts`). */
  reason?: Reason
}

/**
 * The refusal of each page state, from the sentences that belong to each code. Another attempt may succeed after the
 * kinds of `passing`. `reasons` names what the page of a kind proves.
 */
export function refusals<Kind extends string>(
  sentences: Partial<Record<ErrorCode, Partial<Record<Kind, string>>>>,
  passing: readonly Kind[],
  reasons: Partial<Record<Reason, readonly Kind[]>> = {},
): Partial<Record<Kind, Refusal>> {
  const table: Partial<Record<Kind, Refusal>> = {}
  for (const [code, byKind] of Object.entries(sentences) as [ErrorCode, Partial<Record<Kind, string>>][])
    for (const [kind, sentence] of Object.entries(byKind) as [Kind, string][])
      table[kind] = { code, sentence, canRetry: passing.includes(kind) }
  for (const [reason, kinds] of Object.entries(reasons) as [Reason, readonly Kind[]][])
    for (const kind of kinds) table[kind]!.reason = reason
  return table
}

export function refusalError(refusal: Refusal, text: string, step: string): BotError {
  const { code, sentence, canRetry = false, reason } = refusal
  const message = sentence.replace('{text}', () => text.slice(0, MAX_TEXT_LENGTH))
  return new BotError(code, message, { step, canRetry, reason })
}

/** The page asks guests only for a name. */
export function sessionNotUsed(platform: string): BotError {
  const message = `The account's session was not used: ${platform} asks for a guest's name.`
  return new BotError('LOGIN_REQUIRED', message, { step: 'pre-join' })
}

/** Ends a sentence about a page in another language than the requested one; empty for a page in English. */
export function languageNote(
  snapshot: (Pick<CommonSnapshot, 'lang'> & { join?: { label: string } | null }) | null,
): string {
  const { lang = '', join } = snapshot ?? {}
  if (lang === '' || /^en\b/i.test(lang)) return ''
  const seen = join ? `; its button says "${join.label}"` : ''
  return ` The page is in the language "${lang}" although English was asked for${seen}.`
}
