/** Commands to a bot that is in its meeting. */
import { callerData, chatText, problemOfCallerData } from '@standin/wire/bot-fields.ts'
import { agentSwitch, type BotCommand, saidSchema, sayFields } from '@standin/wire/commands.ts'
import type { Answer } from '@standin/wire/control-link.ts'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { askForCommand, changeOnRequest } from '../../../bots/actions/change-bot.ts'
import { askToLeave } from '../../../bots/actions/stop-bot.ts'
import { waitForAnswer } from '../../../store/bots/commands.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../http/errors.ts'
import { type App, callerOf, checkFirst } from '../../http/generation.ts'
import { anyBot, asErrorOf, isOf, spawnedBot } from '../bots/access.ts'
import { chatTextOrNull } from '../bots/schema.ts'
import { botParams, documented, done, message, succeeded, success } from '../common.ts'
import { pageRoutes } from './page-routes.ts'

const IN_CALL = ['in_call_not_recording', 'in_call_recording', 'recording_paused', 'recording_resumed']
const RECORDING = ['in_call_recording', 'recording_resumed']
const PAUSED = ['recording_paused']

const MAY_SPEAK = [...RECORDING, ...PAUSED]

/** How long a call waits for the bot's answer. */
const COMMAND_TIMEOUT_MS = 15_000
/** A text lasts half a minute, and so may those before it. */
const SAY_TIMEOUT_MS = 120_000

const chatBody = z.strictObject({ message: chatText.describe('The bot writes it to all; 1 to 500 characters.') })
const sayBody = z.strictObject(sayFields)
const agentBody = z.strictObject(agentSwitch)
const said = saidSchema.meta({ id: 'Said', description: 'What people heard of a text.' })
const pauseBody = z
  .strictObject({
    chat_message: chatTextOrNull.optional().describe('The bot writes it into the chat, so that people know.'),
  })
  .nullish()
const updateBody = z.strictObject({
  extra: callerData.nullable().describe('Keys to add or to change; null clears all.'),
})

export function botControlRoutes(app: App, dependencies: ApiDependencies): void {
  const route = documented(app, 'Bot control')
  const { database, settings } = dependencies
  const timeoutMs = settings.commandTimeoutMs ?? COMMAND_TIMEOUT_MS
  const exists = checkFirst(botParams, (request, { bot_id: botId }) => spawnedBot(dependencies, request, botId))

  /** The bot's answer; null if it gave none in time. */
  async function run(
    request: FastifyRequest,
    botId: string,
    command: BotCommand,
    allowed: string[],
    waitMs = timeoutMs,
  ) {
    const asked = await askForCommand(database, botId, isOf(callerOf(request)), {
      command,
      allowed,
      expiresInSeconds: Math.ceil(timeoutMs / 1000),
    })
    if (asked === 'not_found' || 'refused' in asked) throw asErrorOf(botId, asked)
    return waitForAnswer(database, asked.commandId, waitMs)
  }

  /** The same, of a bot that did it. */
  async function runWell(...[request, botId, ...asked]: Parameters<typeof run>): Promise<Answer> {
    const answer = await run(request, botId, ...asked)
    if (answer === null) throw refusals.commandFailed('The bot did not answer in time')
    if (answer.ok) return answer
    if (answer.code === 'FST_ERR_BOT_STATUS') throw await statusError(request, botId, answer)
    throw refusals.commandFailed(answer.message ?? 'The bot gave no reason')
  }

  route.post('/bots/:bot_id/leave', {
    summary: 'Tell a bot to leave',
    description:
      'Also cancels a scheduled bot that has not started. A bot that was recording ends as `completed` with what it has recorded.',
    params: botParams,
    body: z.unknown().optional(),
    example: () => ({}),
    answer: message,
    refusals: [404, 409],
    async handle(request) {
      const { bot_id: botId } = request.params
      await anyBot(dependencies, request, botId)
      const asked = await askToLeave(database, botId)
      if (asked !== 'asked') throw asErrorOf(botId, asked)
      return done('Bot leave request sent successfully.')
    },
  })

  route.post('/bots/:bot_id/send-chat-message', {
    preValidation: exists,
    summary: 'Write into the chat of the meeting',
    params: botParams,
    body: chatBody,
    example: () => ({ message: 'Five minutes left' }),
    answer: message,
    refusals: [404, 409, 422],
    async handle(request) {
      const { bot_id: botId } = request.params
      const answer = await run(request, botId, { type: 'send_chat', message: request.body.message }, IN_CALL)
      if (answer === null) throw refusals.chatFailed('The bot did not answer in time')
      if (!answer.ok) throw await chatError(request, botId, answer)
      return done('Chat message sent successfully.')
    },
  })

  route.post('/bots/:bot_id/say', {
    preValidation: exists,
    summary: 'Speak in the meeting',
    description:
      'Answers when the text was said or cut, with the words that people heard. The voice is in the recording once, and its words are those of the bot. Texts are said one after the other.',
    params: botParams,
    body: sayBody,
    example: () => ({ text: 'Five minutes left.', interrupt: true }),
    answer: success(said),
    refusals: [404, 409],
    handlerTimeout: 2 * SAY_TIMEOUT_MS,
    async handle(request) {
      const { bot_id: botId } = request.params
      const command = { type: 'say', ...request.body } as const
      const answer = await runWell(request, botId, command, MAY_SPEAK, settings.commandTimeoutMs ?? SAY_TIMEOUT_MS)
      const heard = saidSchema.safeParse(answer.data)
      if (!heard.success) throw refusals.commandFailed('The bot did not report what it said')
      return succeeded(heard.data)
    },
  })

  route.post('/bots/:bot_id/stop-saying', {
    preValidation: exists,
    summary: 'Stop what a bot says',
    description: 'Also texts that wait. Their calls answer with the words that people heard.',
    params: botParams,
    body: z.unknown().optional(),
    example: () => ({}),
    answer: message,
    refusals: [404, 409],
    async handle(request) {
      await runWell(request, request.params.bot_id, { type: 'stop_saying' }, IN_CALL)
      return done('The bot is silent.')
    },
  })

  pageRoutes(route, dependencies, { exists, allowed: IN_CALL, runWell })
  offerAgent({ route, exists, runWell })
  offerUpdate(route, dependencies)

  for (const { path, type, allowed, summary, text } of [
    {
      path: 'pause-recording',
      type: 'pause',
      allowed: RECORDING,
      summary: 'Pause the recording',
      text: 'Recording paused successfully.',
    },
    {
      path: 'resume-recording',
      type: 'resume',
      allowed: PAUSED,
      summary: 'Resume the recording',
      text: 'Recording resumed successfully.',
    },
  ] as const) {
    route.post(`/bots/:bot_id/${path}`, {
      preValidation: exists,
      summary,
      description:
        'The paused time is missing from recording, transcript and stream; their times continue without a gap.',
      params: botParams,
      body: pauseBody,
      example: () => ({ chat_message: text }),
      answer: message,
      refusals: [404, 409],
      async handle(request) {
        const { bot_id: botId } = request.params
        const command = { type, chat_message: request.body?.chat_message ?? null }
        await runWell(request, botId, command, [...allowed])
        return done(text)
      },
    })
  }

  async function chatError(request: FastifyRequest, botId: string, answer: Answer) {
    if (answer.code === 'FST_ERR_CHAT_DISABLED') return refusals.chatDisabled(answer.message)
    if (answer.code === 'FST_ERR_BOT_STATUS') return statusError(request, botId, answer)
    return refusals.chatFailed(answer.message)
  }

  async function statusError(request: FastifyRequest, botId: string, { message: why }: Answer) {
    const { status } = await spawnedBot(dependencies, request, botId)
    return refusals.botStatus(botId, status, why)
  }
}

function offerAgent({
  route,
  exists,
  runWell,
}: {
  route: ReturnType<typeof documented>
  exists: ReturnType<typeof checkFirst>
  runWell(request: FastifyRequest, botId: string, command: BotCommand, allowed: string[]): Promise<Answer>
}): void {
  route.post('/bots/:bot_id/agent', {
    preValidation: exists,
    summary: 'Switch the agent of a bot off or on',
    description: 'Off: it is silent at once, and nothing of the meeting is sent to its server. The recording goes on.',
    params: botParams,
    body: agentBody,
    example: () => ({ enabled: false }),
    answer: message,
    refusals: [404, 409],
    async handle(request) {
      const { enabled } = request.body
      await runWell(request, request.params.bot_id, { type: 'agent', enabled }, IN_CALL)
      return done(enabled ? 'The agent is on.' : 'The agent is off.')
    },
  })
}

function offerUpdate(route: ReturnType<typeof documented>, dependencies: ApiDependencies): void {
  const { database } = dependencies
  route.patch('/bots/:bot_id/update-config', {
    preValidation: checkFirst(botParams, (request, { bot_id: botId }) => anyBot(dependencies, request, botId)),
    summary: 'Change the free-form data of a bot',
    description: 'New and changed keys of `extra` overwrite, missing ones stay; null clears all.',
    params: botParams,
    body: updateBody,
    example: () => ({ extra: { order: '18' } }),
    answer: message,
    refusals: [404],
    async handle(request) {
      const { bot_id: botId } = request.params
      const { extra } = request.body
      const result = await changeOnRequest<string>(database, botId, isOf(callerOf(request)), (bot) => {
        const merged = extra === null ? null : { ...(bot.extra as object | null), ...extra }
        const problem = merged && problemOfCallerData(merged)
        if (problem) return { refuse: `body/extra together with what is stored ${problem}` }
        return { patch: { extra: merged }, reason: 'The free-form data was changed.' }
      })
      if (result === 'not_found') throw refusals.botNotFound(botId)
      if (result !== 'changed') throw refusals.validation(result.refuse)
      return done('Bot configuration updated successfully.')
    },
  })
}
