/**
 * Every series of a counter, shown as 0 from the start: Prometheus sees no increase in a series that appears with its
 * first happening, so the first bot that crashes would raise no alert.
 */
import { RECORDING_MODES } from '@standin/wire/codes.ts'
import { CHECK_STATES } from '@standin/wire/page-check.ts'
import { countedSignals, SIGNAL_PLATFORMS } from '@standin/wire/page-signals.ts'
import { MEETING_PLATFORMS } from '@standin/wire/platforms.ts'
import { REASON_TABLE, REASONS } from '@standin/wire/reasons.ts'
import { USAGE_PHASES } from '@standin/wire/usage.ts'
import type { Counted, ReconcilerAction, ReconcilerReason } from '../meters.ts'

type Series = { [Name in keyof Counted]: Counted[Name][] }

const RECONCILER_REASONS: Record<ReconcilerAction, ReconcilerReason[]> = {
  stop: ['not_heard_of', 'too_long', 'did_not_leave', 'transcript_too_long', 'bot_over', 'another_attempt'],
  kill: ['did_not_end'],
  finish: ['ended_well', 'ended_badly', 'out_of_memory', 'killed', 'no_evidence'],
  forget: ['unknown_to_launcher'],
  give_up: ['unknown_to_launcher'],
  take_back: ['launcher_gone'],
  adopt: ['launcher_gone'],
  stop_orphan: ['nothing_stored'],
}

const OF_BOTS = MEETING_PLATFORMS.flatMap((platform) => RECORDING_MODES.map((mode) => ({ platform, mode })))

export const SERIES: Series = {
  bot_core_seconds: OF_BOTS,
  bot_memory_gigabyte_seconds: OF_BOTS,
  bot_bytes: OF_BOTS.flatMap((bot) => (['received', 'sent', 'stored'] as const).map((kind) => ({ ...bot, kind }))),
  bot_phase_seconds: OF_BOTS.flatMap((bot) => USAGE_PHASES.map((phase) => ({ ...bot, phase }))),
  claims: ofEach('queue', ['bots', 'deliveries', 'calendar_syncs', 'calendar_subscriptions']),
  lease_losses: [
    { work: 'launch', how: 'expired' },
    { work: 'launch', how: 'overtaken' },
    { work: 'delivery', how: 'expired' },
    { work: 'delivery', how: 'overtaken' },
    { work: 'dead_bot', how: 'overtaken' },
    { work: 'calendar_sync', how: 'overtaken' },
  ],
  reconciler_actions: (Object.keys(RECONCILER_REASONS) as ReconcilerAction[]).flatMap((action) =>
    RECONCILER_REASONS[action].map((reason) => ({ action, reason })),
  ),
  token_refresh_failures: [
    { of: 'calendar', reason: 'refused' },
    { of: 'calendar', reason: 'unavailable' },
    { of: 'calendar', reason: 'not_stored' },
    { of: 'connection', reason: 'refused' },
    { of: 'connection', reason: 'unavailable' },
    { of: 'connection', reason: 'not_stored' },
  ],
  webhook_attempts: ofEach('answer', ['2xx', '3xx', '4xx', '5xx', 'other', 'timeout', 'unreachable']),
  webhooks_finished: ofEach('result', ['delivered', 'given_up']),
  page_checks: MEETING_PLATFORMS.flatMap((platform) => CHECK_STATES.map((state) => ({ platform, state }))),
  links_opened: [{}],
  events_stored: [{}],
  signal_reports: SIGNAL_PLATFORMS.map((platform) => ({ platform })),
  refusals: MEETING_PLATFORMS.flatMap((platform) =>
    REASONS.filter((reason) => REASON_TABLE[reason].platforms.includes(platform)).map((reason) => ({
      platform,
      reason,
    })),
  ),
  page_signals: SIGNAL_PLATFORMS.flatMap((platform) =>
    countedSignals(platform).map((signal) => ({ platform, signal })),
  ),
}

function ofEach<Label extends string, Value extends string>(label: Label, values: Value[]) {
  return values.map((value) => ({ [label]: value }) as Record<Label, Value>)
}
