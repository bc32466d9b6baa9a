/** Rows of bots as the older generation answers them. Pure. */
import { imagesOf } from '@standin/wire/job.ts'
import type { z } from 'zod'
import { olderError } from '../../../bots/messages/older.ts'
import { peopleOf } from '../../../bots/messages/people.ts'
import { DEFAULT_TIMEOUTS, type RequestOfRow, requestOf, timeoutsOf } from '../../../bots/request.ts'
import type { BotRow } from '../../../store/rows/index.ts'
import { at } from '../../v2/common.ts'
import type { BotRecord, listItemSchema, MeetingData, Transcript } from './answers.ts'

export function listItem(bot: BotRow): z.output<typeof listItemSchema> {
  return {
    id: bot.number!,
    uuid: bot.id,
    bot_name: bot.bot_name,
    meeting_url: bot.meeting_url,
    created_at: bot.created_at.toISOString(),
    ended_at: at(bot.ended_at),
    duration: bot.duration_seconds === null ? null : Math.round(bot.duration_seconds),
    speakers: peopleOf(bot.speakers).map(({ name }) => name),
    extra: bot.extra ?? {},
    access_count: bot.access_count,
    last_accessed_at: at(bot.last_accessed_at),
    session_id: null,
  }
}

export interface MeetingFiles {
  video: string | null
  audio: string | null
  participants: string | null
  diarization: string | null
  /** Key of the video in the storage. */
  videoKey: string | null
}

export interface MeetingDataParts {
  /** Running number of the bot's team. */
  accountId: number
  files: MeetingFiles
  /** As `ArtifactLinks.olderTranscript` gives it; null if none was asked for. */
  transcript: readonly unknown[] | null
}

export function meetingData(bot: BotRow, { accountId, files, transcript }: MeetingDataParts): MeetingData {
  return {
    mp4: files.video ?? '',
    audio: files.audio ?? '',
    duration: Math.round(bot.duration_seconds ?? 0),
    meeting_participants_file: files.participants ?? '',
    speaker_diarization_file: files.diarization ?? '',
    // The bot keeps one account of who spoke, made from what the platform reports.
    speaker_diarization_file_network: '',
    bot_data: {
      bot: botRecord(bot, accountId, files.videoKey),
      event_uuid: bot.event_uuid,
      transcripts: transcript === null ? [] : transcriptsOf(bot, transcript as OlderUtterance[]),
    },
  }
}

function botRecord(bot: BotRow, accountId: number, videoKey: string | null): BotRecord {
  return {
    ...askedFields(requestOf(bot)),
    account_id: accountId,
    bot_exited_at: at(bot.exited_at),
    bot_joined_at: at(bot.joined_at),
    created_at: bot.created_at.toISOString(),
    ended_at: at(bot.ended_at),
    bot_name: bot.bot_name,
    bot_param_id: bot.number!,
    deduplication_key: bot.deduplication_key,
    diarization_fails: null,
    diarization_v2: false,
    errors: bot.status === 'failed' ? olderError(bot.error_code ?? 'UNKNOWN_ERROR') : null,
    event_id: null,
    extra: bot.extra ?? {},
    id: bot.number!,
    is_stopped: bot.stop_requested_at !== null,
    meeting_url: bot.meeting_url,
    mp4_s3_path: videoKey ?? '',
    recording_mode: bot.recording_mode as BotRecord['recording_mode'],
    reserved: false,
    scheduled_bot_id: null,
    session_id: null,
    silence_timeout: timeoutsOf(bot).silence_timeout,
    transcription_fails: null,
    transcription_payloads: null,
    user_reported_error: null,
    uuid: bot.id,
  }
}

/** The request of a bot, in the flat fields of this generation. Secrets are null. */
export function askedFields(request: RequestOfRow) {
  const { streaming, transcription, conf_config: conf } = request
  const limits = { ...DEFAULT_TIMEOUTS, ...request.timeout_config }
  return {
    bot_image: imagesOf(request)[0] ?? null,
    enter_message: request.entry_message ?? null,
    noone_joined_timeout: limits.no_one_joined_timeout,
    speech_to_text_api_key: null,
    speech_to_text_provider: transcription?.provider ?? null,
    streaming_audio_frequency: streaming
      ? streaming.audio_frequency === 16_000
        ? ('16khz' as const)
        : ('24khz' as const)
      : null,
    streaming_input: streaming?.input ?? null,
    streaming_output: streaming?.output ?? null,
    transcription_custom_parameters: transcription?.custom_params ?? {},
    waiting_room_timeout: limits.waiting_room_timeout,
    webhook_url: request.webhook_url ?? '',
    conf_access_token_url: conf?.zak_token_url ?? null,
    conf_obf_token: null,
    conf_obf_token_url: conf?.obf_token_url ?? null,
    conf_obf_token_user_id: conf?.credential_user_id ?? null,
    conf_sdk_id: null,
    conf_sdk_pwd: null,
  }
}

/** One utterance of the stored transcript, in the shape of the event `complete`. */
interface OlderUtterance {
  speaker: string
  start_time: number
  end_time: number
  words: readonly { start: number; end: number; word: string }[]
}

/** Numbers run from 1 through the transcript. A speaker's number is that of the participant with this name. */
function transcriptsOf(bot: BotRow, utterances: readonly OlderUtterance[]): Transcript[] {
  const numbers = new Map([...peopleOf(bot.participants), ...peopleOf(bot.speakers)].map(({ name, id }) => [name, id]))
  let words = 0
  return utterances.map((utterance, index) => {
    const user_id = numbers.get(utterance.speaker) ?? null
    return {
      bot_id: bot.number!,
      id: index + 1,
      speaker: utterance.speaker,
      lang: null,
      start_time: utterance.start_time,
      end_time: utterance.end_time,
      user_id,
      words: utterance.words.map(({ start, end, word }) => ({
        bot_id: bot.number!,
        id: ++words,
        text: word,
        start_time: start,
        end_time: end,
        user_id,
      })),
    }
  })
}
