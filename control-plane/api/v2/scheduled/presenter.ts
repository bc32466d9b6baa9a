/** A scheduled bot as the newer generation answers it. */
import { mapFields, timeoutFields } from '@standin/wire/bot-fields.ts'
import { imagesOf } from '@standin/wire/job.ts'
import { DEFAULT_TIMEOUTS, requestOf } from '../../../bots/request.ts'
import type { BotRow } from '../../../store/rows/index.ts'
import { conferencingOf } from '../bots/presenter.ts'
import { at } from '../common.ts'
import { type ScheduledDetails, type ScheduledItem, USUAL_FIELDS } from './schema.ts'

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
  const asked: Record<string, unknown> = { ...request, recording_mode: bot.recording_mode }
  return {
    ...scheduledItem(bot),
    bot_image: imagesOf(request)[0] ?? null,
    ...(mapFields(USUAL_FIELDS, (usual, name) => asked[name] ?? usual) as typeof USUAL_FIELDS),
    cancelled_at: at(bot.cancelled_at),
    allow_multiple_bots: request.allow_multiple_bots ?? true,
    entry_message: request.entry_message ?? null,
    timeout_config: {
      ...mapFields(timeoutFields, (_, name) => request.timeout_config?.[name] ?? DEFAULT_TIMEOUTS[name]),
      max_recording_duration: request.timeout_config?.recording_timeout ?? null,
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
