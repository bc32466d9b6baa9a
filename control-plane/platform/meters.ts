/**
 * Counters and timers of the service for `/metrics`; docs/operating.md#watching says what each means. The values of a label are
 * few and fixed: an id, an address or a text of a caller is never one.
 */

import type { RecordingMode } from '@standin/wire/codes.ts'
import type { CheckState } from '@standin/wire/page-check.ts'
import type { SignalPlatform } from '@standin/wire/page-signals.ts'
import type { PlatformName } from '@standin/wire/platforms.ts'
import type { Reason } from '@standin/wire/reasons.ts'
import type { UsagePhase } from '@standin/wire/usage.ts'
import type { Launcher } from './ports.ts'

type Kind = Launcher['kind']

/** Happenings, by name, with their labels. */
export interface Counted {
  /** Rows that this process took from a queue. */
  claims: { queue: 'bots' | 'deliveries' | 'calendar_syncs' | 'calendar_subscriptions' }
  /** `expired`: taken back from a process that did not come back. `overtaken`: this process found that it had lost it. */
  lease_losses: { work: 'launch' | 'delivery' | 'dead_bot' | 'calendar_sync'; how: 'expired' | 'overtaken' }
  reconciler_actions: { action: ReconcilerAction; reason: ReconcilerReason }
  token_refresh_failures: { of: 'calendar' | 'connection'; reason: 'refused' | 'unavailable' | 'not_stored' }
  webhook_attempts: { answer: '2xx' | '3xx' | '4xx' | '5xx' | 'other' | 'timeout' | 'unreachable' }
  webhooks_finished: { result: 'delivered' | 'given_up' }
  links_opened: NoLabels
  events_stored: NoLabels
  /** Final reports of bots that counted the signals of their page, and those in which a signal answered. */
  signal_reports: { platform: SignalPlatform }
  page_signals: { platform: SignalPlatform; signal: string }
  /** Checks of the operator's test meetings. */
  page_checks: { platform: PlatformName; state: CheckState }
  /** Final reports with a reason why the meeting kept the bot out. */
  refusals: { platform: PlatformName; reason: Reason }
  /** Resources of bots, by their final reports. */
  bot_core_seconds: OfBot
  /** Highest memory of each bot for as long as it lived. */
  bot_memory_gigabyte_seconds: OfBot
  bot_bytes: OfBot & { kind: 'received' | 'sent' | 'stored' }
  bot_phase_seconds: OfBot & { phase: UsagePhase }
}

type OfBot = { platform: PlatformName; mode: RecordingMode }

export type ReconcilerAction = 'stop' | 'kill' | 'finish' | 'forget' | 'give_up' | 'take_back' | 'adopt' | 'stop_orphan'
export type ReconcilerReason =
  | 'not_heard_of'
  | 'too_long'
  | 'did_not_leave'
  | 'did_not_end'
  | 'transcript_too_long'
  | 'bot_over'
  | 'another_attempt'
  | 'ended_well'
  | 'ended_badly'
  | 'out_of_memory'
  | 'killed'
  | 'no_evidence'
  | 'unknown_to_launcher'
  | 'launcher_gone'
  | 'nothing_stored'

/** Durations in seconds, by name, with their labels. */
export interface Timed {
  /** From the time at which a bot was wanted to the moment at which its launcher was asked for its first attempt. */
  start_lateness: NoLabels
  /** How long the launcher took to answer. */
  launch: { launcher: Kind; outcome: 'started' | 'no_room' | 'failed' }
  /** From an event's arrival over the control link to its commit: the oldest of each batch. */
  event_commit: NoLabels
  /** From the commit of a message to the receiver's 2xx; replays are left out. */
  webhook_delivery: { attempt: 'first' | 'later' }
}

type NoLabels = Record<never, never>

/** Cheap, and never throws: it may be called on every path. */
export interface Meters {
  count<Name extends keyof Counted>(name: Name, labels: Counted[Name], by?: number): void
  time<Name extends keyof Timed>(name: Name, seconds: number, labels: Timed[Name]): void
}

/** For parts of the service without metrics. */
export const NO_METERS: Meters = { count() {}, time() {} }
