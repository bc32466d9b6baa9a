/** The status of a connection after a refusal of the provider. */
import type { OutgoingMessage } from '../bots/change.ts'
import { ProviderError, type ProviderErrorKind } from '../platform/ports.ts'
import type { CalendarChange } from '../store/calendars/calendars.ts'
import type { CalendarRow } from '../store/rows/index.ts'
import { messagesOfProblem, messagesOfUpdate } from './messages.ts'

export type CalendarStatus = 'active' | 'error' | 'revoked' | 'permission_denied'

/** Problems that last until the user or the operator solves them. */
const LASTING: Partial<Record<ProviderErrorKind, CalendarStatus>> = {
  revoked: 'revoked',
  client_refused: 'error',
  permission_denied: 'permission_denied',
  no_mailbox: 'permission_denied',
  not_found: 'error',
}

/** Null if the next try may succeed. */
export function lastingStatus(problem: unknown): CalendarStatus | null {
  return problem instanceof ProviderError ? (LASTING[problem.kind] ?? null) : null
}

/** A sentence without secrets: what other errors say is not known. */
export function problemText(problem: unknown): string {
  return problem instanceof ProviderError ? problem.message : 'The calendar could not be read because of an error here'
}

/** The change to another status, with its message; the same status only takes the sentence. */
export function statusChange(
  calendar: CalendarRow,
  status: CalendarStatus,
  sentence: string | null,
  now: Date,
): CalendarChange {
  if (calendar.status === status) return { patch: { status_message: sentence }, messages: [] }
  const patch = {
    status,
    status_message: sentence,
    status_changes: calendar.status_changes + 1,
    updated_at: now,
  }
  const after = { ...calendar, ...patch }
  const messages: OutgoingMessage[] = status === 'active' ? messagesOfUpdate(after, now) : messagesOfProblem(after)
  return { patch, messages }
}
