/** What the model may do. Its arguments come from people's speech by way of a model: nothing in them is trusted. */
import { type AgentTool, type OwnTool, toolName, type WebhookTool } from '@standin/wire/agent.ts'
import { callerData, chatText, pageUrl } from '@standin/wire/bot-fields.ts'
import { problemsOf } from '@standin/wire/job.ts'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { jsonText, parseJson } from '@standin/wire/text/json-text.ts'
import { signatureHeaders } from '@standin/wire/webhook-signature.ts'
import { z } from 'zod'
import { type FetchLimits, fetchPublic } from '../../packages/core/network/safe-fetch.ts'
import type { AgentMeeting } from '../../packages/core/ports.ts'
import type { ToolDescription } from './types.ts'

const MAX_ARGUMENTS = 8_000
const WEBHOOK = { maxBytes: 8_000, timeoutMs: 10_000, accept: 'application/json, text/plain' }

const OWN: Record<OwnTool, { description: string; parameters: z.ZodObject }> = {
  send_chat: {
    description: 'Writes a message into the chat of the meeting, which all people there read.',
    parameters: z.strictObject({ message: chatText }),
  },
  leave: {
    description: 'Leaves the meeting for good, once what you say now was heard. Only if a person asks you to leave.',
    parameters: z.strictObject({}),
  },
  show_page: {
    description: 'Shows a web page to all people in the meeting.',
    parameters: z.strictObject({ url: pageUrl }),
  },
}

export interface ToolParts {
  /** Those of the job; `show_page` is none where the bot can show no page. */
  tools: readonly AgentTool[]
  botId: string
  /** Signs the calls of webhooks. */
  secret: string | null
  /** The operator permits the addresses of the webhooks even if they are private. */
  isPermitted: boolean
  clock: { now(): number }
  /** Replaced by tests. */
  post?: typeof fetchPublic
}

const usable = (tools: readonly AgentTool[], { showPage }: Pick<AgentMeeting, 'showPage'>) =>
  tools.filter(({ type }) => type !== 'show_page' || showPage !== undefined)

export function describeTools(tools: readonly AgentTool[], meeting: Pick<AgentMeeting, 'showPage'>): ToolDescription[] {
  return usable(tools, meeting).map((tool) => {
    if (tool.type === 'webhook') return { name: tool.name, description: tool.description, parameters: tool.parameters }
    const { $schema: _, ...parameters } = z.toJSONSchema(OWN[tool.type].parameters)
    return { name: tool.type, description: OWN[tool.type].description, parameters }
  })
}

/** The result for the model, in words; failures too. Never rejects. */
export async function callTool(
  call: { id: string; name: string; argumentsText: string },
  parts: ToolParts,
  meeting: AgentMeeting & { leaveWhenSilent(): void },
): Promise<string> {
  const tool = usable(parts.tools, meeting).find((one) => toolName(one) === call.name)
  if (tool === undefined) return 'There is no such tool.'
  try {
    const given = argumentsOf(call.argumentsText, tool)
    return tool.type === 'webhook' ? await ask(tool, call.id, given, parts) : await act(tool.type, given, meeting)
  } catch (error) {
    return `It failed: ${messageOf(error).slice(0, 300)}`
  }
}

/** Throws a sentence. */
function argumentsOf(text: string, tool: AgentTool): Record<string, unknown> {
  if (text.length > MAX_ARGUMENTS) throw new Error(`The arguments have more than ${MAX_ARGUMENTS} characters.`)
  const schema = tool.type === 'webhook' ? callerData : OWN[tool.type].parameters
  const parsed = schema.safeParse(text.trim() === '' ? {} : parseJson(text))
  if (parsed.success) return parsed.data
  throw new Error(
    problemsOf(parsed.error)
      .map(({ path, message }) => `${path} ${message}`.trim())
      .join('; '),
  )
}

async function act(
  tool: OwnTool,
  given: Record<string, unknown>,
  meeting: AgentMeeting & { leaveWhenSilent(): void },
): Promise<string> {
  switch (tool) {
    case 'send_chat':
      await meeting.sendChat(String(given.message))
      return 'The message was written.'
    case 'leave':
      meeting.leaveWhenSilent()
      return 'The bot leaves once it is silent.'
    case 'show_page':
      await meeting.showPage!(String(given.url))
      return 'The page is shown.'
  }
}

async function ask(
  { url, name }: WebhookTool,
  id: string,
  given: Record<string, unknown>,
  { botId, secret, isPermitted, clock, post = fetchPublic }: ToolParts,
): Promise<string> {
  const body = jsonText({ event: 'agent.tool_call', data: { bot_id: botId, call_id: id, name, arguments: given } })
  const headers = {
    'content-type': 'application/json',
    ...signatureHeaders(`${botId}-${id}`, Math.floor(clock.now() / 1000), body, secret === null ? [] : [secret]),
  }
  const limits: FetchLimits = { ...WEBHOOK, body, headers }
  return String(Buffer.from(await post(url, limits, isPermitted)))
}
