/** A bot to be created, from the body of a request. */
import type { FastifyRequest } from 'fastify'
import type { NewBot } from '../../../actions/create-bot.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { askedFor } from '../../new-bot.ts'
import { requestOfBody } from './normalize.ts'
import type { CreateBotBody } from './schema.ts'

/** Rejects with 400 where an address must not be used or the link is of no supported platform. */
export function newBotOf(
  body: CreateBotBody,
  request: FastifyRequest,
  dependencies: Pick<ApiDependencies, 'client' | 'settings'>,
  joinAt: Date | null = null,
): NewBot {
  const fields = requestOfBody(body)
  return {
    ...askedFor(body.meeting_url, { asked: fields.request, extra: body.extra }, request, dependencies),
    generation: 'v2',
    name: body.bot_name,
    recordingMode: body.recording_mode,
    extra: body.extra,
    ...fields,
    deduplicationKey: null,
    isExclusive: !body.allow_multiple_bots,
    joinAt,
  }
}
