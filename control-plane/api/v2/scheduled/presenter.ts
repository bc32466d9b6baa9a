/** A scheduled bot as the newer generation answers it. */
import { imagesOf } from '@standin/wire/job.ts'
import { DEFAULT_TIMEOUTS, requestOf } from '../../../bots/request.ts'
import type { BotRow } from '../../../store/rows/index.ts'
import { conferencingOf } from '../bots/presenter.ts'
import { at } from '../common.ts'
import type { ScheduledDetails, ScheduledItem } from './schema.ts'

export function scheduledItem(bot: BotRow): ScheduledItem {
  return {
    bot_id: bot.id,
    bot_name: bot.bot_name,
    meeting_url: bot.meeting_url,
    meeting_platform: bot.meeting_platform as ScheduledItem['meeting_platform'],
    join_at: (bot.join_at ?? bot.created_at).toISOString(),
    status: bot.schedule_status as ScheduledItem['status'],
    extra: bot.extra as ScheduledItem['extra'],
    created_at: bot.created_at.toISOString(),
    updated_at: bot.updated_at.toISOString(),
  }
}

export function scheduledDetails(bot: BotRow): ScheduledDetails {
  const { transcription, streaming, callback, ...request } = requestOf(bot)
  const { recording_timeout, ...limits } = request.timeout_config ?? {}
  const shown = { ...DEFAULT_TIMEOUTS, ...limits }
  return {
    ...scheduledItem(bot),
    bot_image: imagesOf(request)[0] ?? null,
    recording_mode: bot.recording_mode as ScheduledDetails['recording_mode'],
    frame_rate: request.frame_rate ?? 25,
    separate_tracks: request.separate_tracks ?? false,
    recording_consent: request.recording_consent ?? 'accept',
    cancelled_at: at(bot.cancelled_at),
    allow_multiple_bots: request.allow_multiple_bots ?? true,
    entry_message: request.entry_message ?? null,
    timeout_config: {
      waiting_room_timeout: shown.waiting_room_timeout,
      no_one_joined_timeout: shown.no_one_joined_timeout,
      silence_timeout: shown.silence_timeout,
      grace_period: shown.grace_period,
      everyone_left_timeout: shown.everyone_left_timeout,
      only_bots_timeout: shown.only_bots_timeout,
      max_recording_duration: recording_timeout ?? null,
    },
    transcription_config: transcription
      ? {
          enabled: true,
          provider: transcription.provider.toLowerCase(),
          custom_params: transcription.custom_params ?? null,
          mode: transcription.mode ?? null,
        }
      : null,
    streaming_config: streaming
      ? {
          enabled: true,
          input_url: streaming.input ?? null,
          output_url: streaming.output ?? null,
          audio_frequency: streaming.audio_frequency,
        }
      : null,
    callback_config: callback ? { enabled: true, url: callback.url, secret: null, method: callback.method } : null,
    conf_config: conferencingOf(bot),
  }
}
