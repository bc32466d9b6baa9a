/** Many bots in one request. Items are independent: a wrong one never fails the request. */
import { problemOfCallerData } from '@standin/wire/bot-fields.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { createBot, type NewBot } from '../../../bots/actions/create-bot.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { ApiError, asApiError } from '../../http/errors.ts'
import type { App, Generation } from '../../http/generation.ts'
import { onceInParts } from '../../http/idempotency.ts'
import { parse, sentence } from '../../http/validation.ts'
import { checkCredential, errorOfRefusal } from '../../new-bot.ts'
import { newBotOf } from '../bots/request.ts'
import { createBotBody } from '../bots/schema.ts'
import { documented, isSuccess } from '../common.ts'
import { fields } from '../fields.ts'
import { joinTimeOf } from '../scheduled/join-time.ts'
import { scheduleBotBody } from '../scheduled/schema.ts'

const MAX_ITEMS = 100
const BODY_BYTES = 4 * 1024 * 1024

/** Items are checked one by one, so the schema only says that there are some. */
const batchBody = z.array(z.unknown()).min(1).max(MAX_ITEMS)

const item = { index: z.int().describe('Place in the request, counted from 0.'), extra: fields.extra }
const batchAnswer = z.object({
  success: isSuccess,
  data: z.array(z.object({ ...item, bot_id: fields.bot_id })).describe('Bots that were created.'),
  errors: z
    .array(
      z.object({
        ...item,
        code: z.string().describe('Such as VALIDATION_ERROR or INSUFFICIENT_TOKENS.'),
        message: z.string().describe('The same in one sentence.'),
        details: z.string().nullable().describe('Further words, if there are any.'),
      }),
    )
    .describe('Items of which no bot was created.'),
})

interface ItemError {
  code: string
  message: string
  details: string | null
}

export function batchRoutes(app: App, dependencies: ApiDependencies): void {
  const route = documented(app, 'Batches')
  const { database, seals, log } = dependencies

  for (const { path, summary, newBot, isScheduled } of [
    { path: '/bots/batch', summary: 'Send up to 100 bots', newBot: immediateBot, isScheduled: false },
    { path: '/bots/scheduled/batch', summary: 'Schedule up to 100 bots', newBot: scheduledBot, isScheduled: true },
  ]) {
    route.post(path, {
      bodyLimit: BODY_BYTES,
      config: { permission: 'sending', createsBots: true, isIdempotent: true, changes: 'sometimes' },
      summary,
      description:
        'Always answers 201; the outcome of each item is in `data` or `errors`, by its index. With `Idempotency-Key` no item is created twice.',
      body: batchBody,
      example: ({ meetingLink: meeting_url, tomorrow }) =>
        ['Notes for Ann', 'Notes for Bob'].map((bot_name) => ({
          ...{ meeting_url, bot_name },
          ...(isScheduled && { join_at: tomorrow }),
        })),
      status: 201,
      answer: batchAnswer,
      refusals: [409],
      handle: async (request, reply) =>
        onceInParts(database, request, reply, async (once) => {
          const data: z.output<typeof batchAnswer>['data'] = []
          const failures: z.output<typeof batchAnswer>['errors'] = []
          for (const [index, item] of request.body.entries()) {
            const extra = extraOf(item)
            const result = await create(() =>
              once(index, async (tx) => {
                const bot = newBot(item, request, dependencies)
                await checkCredential(tx, bot.teamId, bot.request, bot.meeting.platform)
                const created = await createBot(tx, seals, bot)
                if ('refused' in created) throw errorOfRefusal(created.refused)
                return { status: 201, body: created.botId }
              }),
            )
            if (typeof result === 'string') data.push({ index, bot_id: result, extra })
            else failures.push({ index, ...result, extra })
          }
          return { status: 201, body: { success: true as const, data, errors: failures } }
        }),
    })
  }

  async function create(store: () => Promise<{ body: string }>): Promise<string | ItemError> {
    try {
      return (await store()).body
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) log.error({ error: String(thrown) }, 'Bot of a batch could not be created')
      return itemError(asApiError(thrown))
    }
  }
}

type Maker = (item: unknown, request: FastifyRequest, dependencies: ApiDependencies) => NewBot

const immediateBot: Maker = (item, request, dependencies) =>
  newBotOf(checked(createBotBody, item, request.generation), request, dependencies)

const scheduledBot: Maker = (item, request, dependencies) => {
  const body = checked(scheduleBotBody, item, request.generation)
  return newBotOf(body, request, dependencies, joinTimeOf(body.join_at, dependencies.clock.now()))
}

function checked<T>(schema: z.ZodType<T>, item: unknown, generation: Generation | null): T {
  const result = parse(schema, item, generation?.unknownFields ?? 'refuse')
  if ('value' in result) return result.value
  throw new ApiError(400, 'FST_ERR_VALIDATION', sentence('body', result.problems))
}

const ITEM_CODES: Readonly<Record<string, string>> = {
  FST_ERR_VALIDATION: 'VALIDATION_ERROR',
  FST_ERR_INVALID_MEETING_PLATFORM: 'INVALID_MEETING_PLATFORM',
  FST_ERR_BYOK_TRANSCRIPTION_NOT_ENABLED_ON_PLAN: 'BYOK_TRANSCRIPTION_NOT_ENABLED_ON_PLAN',
  FST_ERR_DAILY_BOT_CAP_REACHED: 'DAILY_BOT_CAP_REACHED',
  FST_ERR_INSUFFICIENT_TOKENS: 'INSUFFICIENT_TOKENS',
  FST_ERR_BOT_ALREADY_EXISTS: 'BOT_ALREADY_EXISTS',
  FST_ERR_CREDENTIAL_NOT_FOUND_BY_ID: 'CREDENTIAL_NOT_FOUND_BY_ID',
}

function itemError({ code, message, details }: ApiError): ItemError {
  return { code: ITEM_CODES[code] ?? 'BOT_CREATE_FAILED', message, details }
}

/** Given back with the item, if it is an object that can be carried along. */
function extraOf(item: unknown): Record<string, unknown> | null {
  const { extra } = (item ?? {}) as { extra?: unknown }
  const isObject = typeof extra === 'object' && extra !== null && !Array.isArray(extra)
  return isObject && problemOfCallerData(extra) === null ? (extra as Record<string, unknown>) : null
}
