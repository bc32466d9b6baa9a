/** A bot to be created, from the body of a request. */
import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { readMeetingLink } from '../../../bots/meeting-link.ts'
import type { NewBot } from '../../../store/admission.ts'
import { addressProblem } from '../../addresses.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../errors.ts'
import { callerOf } from '../../generation.ts'
import { requestOfBody } from './normalize.ts'
import type { CreateBotBody } from './schema.ts'

/** Rejects with 400 where an address must not be used or the link is of no supported platform. */
export function newBotOf(
  body: CreateBotBody,
  request: FastifyRequest,
  { client, settings }: Pick<ApiDependencies, 'client' | 'settings'>,
  joinAt: Date | null = null,
): NewBot {
  const { keyId, teamId } = callerOf(request)
  const fields = requestOfBody(body)
  const problem = addressProblem(client, fields.request, body.extra)
  if (problem !== null) throw refusals.validation(`body/${problem}`)
  const meeting = readMeetingLink(body.meeting_url, settings.jitsiHosts)
  if (meeting === null) throw refusals.meetingPlatform()
  return {
    id: randomUUID(),
    teamId,
    apiKeyId: keyId,
    generation: 'v2',
    isCompat: request.generation?.isCompat ?? false,
    name: body.bot_name,
    meeting,
    recordingMode: body.recording_mode,
    extra: body.extra,
    ...fields,
    deduplicationKey: null,
    isExclusive: !body.allow_multiple_bots,
    joinAt,
  }
}
