/** Texts that several pages show. All others stand where they are shown. */
import type { Answers, BotItem } from './api.ts'

type Preview = Answers['BotPreview']

const PARTS: Readonly<Record<string, string>> = { network: 'Network', machine: 'Machine', process: 'Process' }

/** Error messages by code. */
const REASON_TEXTS: Record<string, string> = {
  BOT_NOT_ACCEPTED: 'The host denied the bot entry.',
  TIMEOUT_WAITING_TO_START: 'The host did not admit the bot in time.',
  CANNOT_JOIN_MEETING: 'The platform did not let the bot join.',
  BOT_REMOVED_TOO_EARLY: 'The host removed the bot right after it joined.',
  INVALID_MEETING_URL: 'The link does not lead to a meeting.',
  LOGIN_REQUIRED: 'The meeting admits only people who are signed in.',
  OOM_KILLED: 'The bot ran out of memory.',
  FORCE_KILLED: 'The process of the bot was killed.',
  EXITING_MEETING_BEFORE_RECORD: 'The bot left before it started recording.',
  TRANSCRIPTION_FAILED: 'Transcription failed. The recording is available.',
  DAILY_BOT_CAP_REACHED: 'The team reached its daily limit of bots.',
  INSUFFICIENT_TOKENS: 'The team did not have enough tokens.',
}

/** Why a bot failed, or was sent away, in one sentence: the finest that is known. */
export function whyOf(bot: Pick<BotItem, 'error_code' | 'error_message'>, preview: Preview | undefined): string {
  const { error_code: code, error_message: message } = bot
  return preview?.failure?.why ?? REASON_TEXTS[code ?? ''] ?? message ?? code ?? ''
}

/** The part that failed, in a word, where that is known. */
export const partOf = (preview: Preview | undefined): string | null => PARTS[preview?.failure?.part ?? ''] ?? null

export const TEXTS = {
  none: '–',
  unknown: 'Unknown',
  sendBot: 'Send a bot',
  deleted: 'The recording and all data of this bot were deleted.',
  copyOf: (what: string) => `Copy: ${what}`,
  /** The first one is that of an invitation. */
  roles: { member: 'Member', viewer: 'Viewer', owner: 'Owner' },
  calendarStates: {
    active: 'Active',
    error: 'Error',
    revoked: 'Token refused',
    permission_denied: 'Permission missing',
  },
  tenant: 'Tenant ID (Microsoft only; default: common)',
  deliveryStates: {
    waiting: 'Waiting',
    sending: 'Sending',
    delivered: 'Delivered',
    failed: 'Failed',
    dropped: 'Dropped',
  } as Record<string, string>,
  replayed: (count: number) =>
    count === 0 ? 'No delivery failed.' : `Resending ${count === 1 ? '1 delivery' : `${count} deliveries`}.`,
} as const
