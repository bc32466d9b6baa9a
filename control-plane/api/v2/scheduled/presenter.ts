/** A scheduled bot as the newer generation answers it. */
import { requestOf } from '../../../bots/row.ts'
import type { BotRow } from '../../../rows/index.ts'
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
  const { images, entryMessage, timeouts, transcription, streaming, callback, conferencing, allowMultipleBots } =
    requestOf(bot)
  return {
    ...scheduledItem(bot),
    bot_image: images[0] ?? null,
    recording_mode: bot.recording_mode as ScheduledDetails['recording_mode'],
    cancelled_at: at(bot.cancelled_at),
    allow_multiple_bots: allowMultipleBots,
    entry_message: entryMessage,
    timeout_config: {
      waiting_room_timeout: timeouts.waitingRoom,
      no_one_joined_timeout: timeouts.noOneJoined,
      silence_timeout: timeouts.silence,
      grace_period: timeouts.grace,
      max_recording_duration: timeouts.maxRecording,
    },
    transcription_config: transcription && {
      enabled: true,
      provider: transcription.provider.toLowerCase(),
      custom_params: transcription.customParams,
    },
    streaming_config: streaming && {
      enabled: true,
      input_url: streaming.inputUrl,
      output_url: streaming.outputUrl,
      audio_frequency: streaming.audioFrequency,
    },
    callback_config: callback && { enabled: true, url: callback.url, secret: null, method: callback.method },
    conf_config: conferencingOf(bot, conferencing),
  }
}
