/** A bot as the newer generation answers it. */

import { MICRO } from '../../../bots/change.ts'
import { errorHelpOf, HELP_PATH, reasonHelpOf } from '../../../bots/error-help.ts'
import { peopleOf } from '../../../bots/messages/people.ts'
import { type Charged, METERS } from '../../../bots/outcomes.ts'
import { requestOf } from '../../../bots/request.ts'
import type { ArtifactField } from '../../../platform/ports.ts'
import type { BotRow } from '../../../store/rows/index.ts'
import { at } from '../common.ts'
import type { BotDetails, BotItem, BotStatus, Tokens } from './schema.ts'
import type { ResourceUsage } from './usage.ts'

export function botDetails(
  bot: BotRow,
  links: Record<ArtifactField, string | null>,
  publicUrl: string,
  usage: ResourceUsage | null,
): BotDetails {
  const { callback } = requestOf(bot)
  const help = errorHelpOf(bot)
  const isDeleted = bot.data_deleted_at !== null
  return {
    bot_id: bot.id,
    bot_name: bot.bot_name,
    meeting_url: bot.meeting_url,
    meeting_platform: bot.meeting_platform as BotDetails['meeting_platform'],
    recording_mode: bot.recording_mode as BotDetails['recording_mode'],
    status: bot.status as BotDetails['status'],
    created_at: bot.created_at.toISOString(),
    joined_at: at(bot.joined_at),
    exited_at: at(bot.exited_at),
    duration_seconds: wholeSeconds(bot.duration_seconds),
    participants: peopleOf(bot.participants),
    speakers: peopleOf(bot.speakers),
    artifacts_deleted: isDeleted,
    video: isDeleted ? null : links.video,
    audio: isDeleted ? null : links.audio,
    diarization: isDeleted ? null : links.diarization,
    raw_transcription: isDeleted ? null : links.raw_transcription,
    transcription: isDeleted ? null : links.transcription,
    chat_messages: isDeleted ? null : links.chat_messages,
    transcription_ids: isDeleted ? null : idsOf(bot),
    transcription_provider: bot.transcription_provider?.toLowerCase() ?? null,
    error_code: bot.error_code,
    error_message: bot.error_message,
    error_help: help && { ...help, link: `${publicUrl}${HELP_PATH}` },
    ...reasonHelpOf(bot, (path) => `${publicUrl}${path}`),
    tokens: tokensOf(bot),
    usage,
    extra: bot.extra as BotDetails['extra'],
    conf_config: conferencingOf(bot),
    account_id: bot.account_id,
    meet_login_credential_id: bot.meeting_platform === 'meet' ? bot.account_id : null,
    callback_config: callback ? { url: callback.url, method: callback.method, secret: null } : null,
  }
}

export function botItem(bot: BotRow): BotItem {
  return {
    bot_id: bot.id,
    bot_name: bot.bot_name,
    meeting_url: bot.meeting_url,
    meeting_platform: bot.meeting_platform as BotItem['meeting_platform'],
    extra: bot.extra as BotItem['extra'],
    duration: wholeSeconds(bot.duration_seconds),
    created_at: bot.created_at.toISOString(),
    ended_at: at(bot.ended_at),
    joined_at: at(bot.joined_at),
    exited_at: at(bot.exited_at),
    status: bot.status as BotItem['status'],
    error_code: bot.error_code,
    error_message: bot.error_message,
    tokens: tokensOf(bot),
  }
}

export function botStatus(bot: BotRow): BotStatus {
  return {
    bot_id: bot.id,
    status: bot.status as BotStatus['status'],
    transcription_status: bot.transcription_status as BotStatus['transcription_status'],
    updated_at: bot.updated_at.toISOString(),
  }
}

/** Only of meetings in a browser, and not without a picture; after a deletion there are none. */
export function screenshotsAreMade(bot: BotRow): boolean {
  return bot.meeting_platform !== 'zoom' && bot.recording_mode !== 'audio_only' && bot.data_deleted_at === null
}

/** The settings for the platform with an SDK; secrets are never returned. */
export function conferencingOf(bot: BotRow): BotDetails['conf_config'] {
  const { conf_config: conf } = requestOf(bot)
  if (!conf || bot.meeting_platform !== 'zoom') return null
  const { credential_id = null, credential_user_id = null, obf_token_url = null, zak_token_url = null } = conf
  return { credential_id, credential_user_id, obf_token_url, zak_token_url }
}

function idsOf(bot: BotRow): string[] | null {
  const ids = bot.transcription_ids as string[]
  return ids.length === 0 ? null : ids
}

function wholeSeconds(seconds: number | null): number | null {
  return seconds === null ? null : Math.round(seconds)
}

/** Tokens are answered with four decimals. */
const ANSWERED_UNIT = MICRO / 10_000

/** The charge in tokens; the total is the sum of the rounded parts. Null before the charge. */
function tokensOf({ charged }: Pick<BotRow, 'charged'>): Tokens | null {
  if (charged === null) return null
  const micro = charged as Partial<Charged>
  const parts = METERS.map((meter) => [meter, Math.round((micro[meter] ?? 0) / ANSWERED_UNIT)] as const)
  const total = parts.reduce((sum, [, part]) => sum + part, 0)
  return {
    ...(Object.fromEntries(parts.map(([meter, part]) => [meter, part / 10_000])) as Charged),
    total: total / 10_000,
  }
}
