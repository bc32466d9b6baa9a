/** A change of a scheduled bot. */
import { type MeetingLink, readMeeting } from '@standin/wire/meeting-links/index.ts'
import type { BotSecrets } from '../../../bots/request.ts'
import { requestOf } from '../../../bots/row.ts'
import type { BotPatch, BotRow } from '../../../rows/index.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../http/errors.ts'
import { checkFields, type Merged, merged } from '../bots/merge.ts'
import { joinTimeOf } from './join-time.ts'
import type { ChangeScheduledBody } from './schema.ts'

export interface Change extends Merged {
  patch: BotPatch
}

/** Rejects with 400 values that are invalid for every bot; nothing here depends on the stored bot. */
export function checkChange(
  body: ChangeScheduledBody,
  { client, settings, clock }: Pick<ApiDependencies, 'client' | 'settings' | 'clock'>,
): { meeting: MeetingLink | null; joinAt: Date | null } {
  checkFields(body, client)
  const joinAt = body.join_at === undefined ? null : joinTimeOf(body.join_at, clock.now())
  if (body.meeting_url === undefined) return { meeting: null, joinAt }
  const meeting = readMeeting(body.meeting_url, settings)
  if ('problem' in meeting) throw refusals.meetingPlatform(meeting.problem)
  return { meeting, joinAt }
}

/** The bot with the fields of the change; those that are left out stay. */
export function changeOf(
  bot: BotRow,
  stored: BotSecrets,
  body: ChangeScheduledBody,
  { meeting, joinAt }: ReturnType<typeof checkChange>,
): Change {
  const change = merged(requestOf(bot), stored, body)
  const { request } = change
  const patch: BotPatch = {
    request,
    is_exclusive: !request.allowMultipleBots,
    transcription_status: request.transcription === null ? 'not-applicable' : 'not-started',
    ...(body.bot_name !== undefined && { bot_name: body.bot_name }),
    ...(body.recording_mode !== undefined && { recording_mode: body.recording_mode }),
    ...(body.extra !== undefined && { extra: body.extra }),
    ...(joinAt !== null && { join_at: joinAt, due_at: joinAt }),
    ...(meeting !== null && {
      meeting_url: meeting.link,
      meeting_key: meeting.key,
      meeting_platform: meeting.platform,
    }),
  }
  return { ...change, patch }
}
