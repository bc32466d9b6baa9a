import type { BotRow } from '@standin/control-plane/store/rows/index.ts'

/** A whole row of a completed bot of `/v2`. */
export function botRow(changes: Partial<BotRow> = {}): BotRow {
  const absent = Object.fromEntries(
    [
      'api_key_id deduplication_key secrets event_id event_uuid schedule_status join_at cancelled_at due_at give_up_at',
      'deadline_at lease_owner lease_until joined_attempt wait_reason pickup_delayed_at stop_requested_at stop_sent_at',
      'queued_at launched_at joining_at waiting_at recording_started_at ended_at link_lost_at link_opened_at end_code end_cause reason',
      'resuming_since pending_end files_attempt end_message error_code error_message chat_is_available report transcription_provider transcribed_seconds',
      'streaming_input_seconds streaming_output_seconds charged data_deleted_at last_accessed_at',
    ]
      .join(' ')
      .split(' ')
      .map((name) => [name, null]),
  )
  return {
    ...absent,
    id: '5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11',
    number: 1,
    team_id: '0f1c0a3a-40a9-4b4e-8a53-3f9f1d0f7a55',
    generation: 'v2',
    is_compat: false,
    phase: 'closed',
    status: 'completed',
    version: 9,
    bot_name: 'Bot',
    meeting_url: 'https://meet.google.com/abc-defg-hij',
    meeting_key: 'meet:abc-defg-hij',
    meeting_platform: 'meet',
    recording_mode: 'speaker_view',
    extra: { order: '17' },
    request: {},
    is_exclusive: false,
    is_scheduled: false,
    attempt: 1,
    launch_failures: 0,
    resumes: 0,
    denials: 0,
    parts: [],
    created_at: new Date('2026-11-20T09:00:00Z'),
    updated_at: new Date('2026-11-20T09:32:00Z'),
    joined_at: new Date('2026-11-20T09:00:12Z'),
    exited_at: new Date('2026-11-20T09:30:40Z'),
    duration_seconds: 1803.6,
    participants: [
      { name: 'Ada Byron', id: 1, platform_id: 'spaces/1' },
      { name: 'Niko', id: 2, display_name: 'Niko (guest)', profile_picture: null },
    ],
    speakers: [{ name: 'Ada Byron', id: 1, platform_id: 'spaces/1' }],
    transcription_status: 'not-applicable',
    transcription_ids: [],
    reserved: 0,
    access_count: 0,
    ...changes,
  } as BotRow
}
