/** The common part of new bots of both generations: the caller and the meeting. */
import { randomUUID } from 'node:crypto'
import { readMeeting } from '@standin/wire/meeting-links/index.ts'
import type { FastifyRequest } from 'fastify'
import type { BotRequest } from '../bots/request.ts'
import type { NewBot } from '../store/bots/admission.ts'
import { addressProblem } from './addresses.ts'
import type { ApiDependencies } from './dependencies.ts'
import { refusals } from './http/errors.ts'
import { callerOf } from './http/generation.ts'

/** Rejects with 400 where an address must not be used or the link is of no supported platform. */
export function askedFor(
  meetingUrl: string,
  { asked, extra }: { asked: BotRequest; extra: unknown },
  request: FastifyRequest,
  { client, settings }: Pick<ApiDependencies, 'client' | 'settings'>,
): Pick<NewBot, 'id' | 'teamId' | 'apiKeyId' | 'isCompat' | 'meeting' | 'traceparent'> {
  const { keyId, teamId } = callerOf(request)
  const problem = addressProblem(client, asked, extra)
  if (problem !== null) throw refusals.validation(`body/${problem}`)
  const meeting = readMeeting(meetingUrl, settings)
  if ('problem' in meeting) throw refusals.meetingPlatform(meeting.problem)
  return {
    id: randomUUID(),
    teamId,
    apiKeyId: keyId,
    isCompat: request.generation?.isCompat ?? false,
    meeting,
    traceparent: request.span?.traceparent ?? null,
  }
}
