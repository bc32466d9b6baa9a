/** Bodies of `/v2`: `{event, data, extra}`. Callbacks carry the same. */
import type { BotRow } from '../../store/rows/index.ts'
import { errorHelpOf, HELP_PATH, reasonHelpOf } from '../error-help.ts'
import { type StoredEvent, shownEvent } from '../shown-events.ts'
import type { ChatNews, StatusNews } from './index.ts'
import type { LiveWebhookEvent } from './kinds.ts'
import { peopleOf } from './people.ts'
import { ARTIFACT_NAMES, link, NEWER_LINK_SECONDS, pageLink, SENT_AT } from './placeholders.ts'

type Body = Record<string, unknown>

export function statusBody(bot: BotRow, { code, at, startTime, errorMessage }: StatusNews): Body {
  const status = {
    code,
    created_at: at.toISOString(),
    ...(startTime !== undefined && { start_time: Math.floor(startTime) }),
    ...(errorMessage !== undefined && { error_message: errorMessage }),
  }
  return { event: 'bot.status_change', data: { ...names(bot), status }, extra: extraOf(bot) }
}

export function completedBody(bot: BotRow): Body {
  const ids = Array.isArray(bot.transcription_ids) ? bot.transcription_ids : []
  const links = Object.entries(ARTIFACT_NAMES).map(([field, name]) => [field, link(name, NEWER_LINK_SECONDS)])
  return {
    event: 'bot.completed',
    data: {
      ...names(bot),
      participants: peopleOf(bot.participants),
      speakers: peopleOf(bot.speakers),
      duration_seconds: bot.duration_seconds === null ? null : Math.round(bot.duration_seconds),
      joined_at: bot.joined_at?.toISOString() ?? null,
      exited_at: bot.exited_at?.toISOString() ?? null,
      data_deleted: bot.data_deleted_at !== null,
      ...Object.fromEntries(links),
      transcription_provider: bot.transcription_provider?.toLowerCase() ?? null,
      transcription_ids: ids.length > 0 ? ids : null,
      ...(!bot.is_compat && reasonHelpOf(bot, pageLink)),
      sent_at: SENT_AT,
    },
    extra: extraOf(bot),
  }
}

export function failedBody(bot: BotRow): Body {
  return {
    event: 'bot.failed',
    data: {
      ...names(bot),
      error_code: bot.error_code ?? 'UNKNOWN_ERROR',
      error_message: bot.error_message ?? 'The bot failed.',
      // The public names of `/compat` have no such fields.
      ...(!bot.is_compat && {
        error_help: { ...errorHelpOf(bot), link: pageLink(HELP_PATH) },
        ...reasonHelpOf(bot, pageLink),
      }),
      sent_at: SENT_AT,
    },
    extra: extraOf(bot),
  }
}

export function chatBody(bot: BotRow, { messageId, senderName, senderId, text }: ChatNews): Body {
  return {
    event: 'bot.chat_message',
    data: {
      ...names(bot),
      message_id: messageId,
      sender_name: senderName,
      sender_id: senderId,
      text,
      sent_at: SENT_AT,
    },
    extra: extraOf(bot),
  }
}

/** Events of one kind, in order. */
export const liveBody = (bot: Named, event: LiveWebhookEvent, events: readonly StoredEvent[]): Body => ({
  event,
  data: { ...names(bot), events: events.map(shownEvent), sent_at: SENT_AT },
  extra: extraOf(bot),
})

type Named = Pick<BotRow, 'id' | 'event_id' | 'extra'>

const names = (bot: Named) => ({ bot_id: bot.id, event_id: bot.event_id })

function extraOf({ extra }: Named): unknown {
  return typeof extra === 'object' && !Array.isArray(extra) ? extra : null
}
