/** An agent in the meeting: what a caller asks of it, and how its server is reached. */
import { z } from 'zod'
import { address, callerData, NOT_STORABLE, sayText, storable, webSocketAddress } from './bot-fields.ts'
import type { Problem } from './job.ts'

const MAX_ADDRESS_LENGTH = 2048
const text = (maxLength: number) => z.string().trim().min(1).max(maxLength).refine(storable, { error: NOT_STORABLE })
const phrases = z.array(text(60)).max(20)
const seconds = (most: number, fallback: number, meaning: string) =>
  z.int().min(1).max(most).default(fallback).describe(`Seconds ${meaning}`)

/** Tools that need no more than their name. */
const OWN_TOOLS = ['send_chat', 'leave', 'show_page'] as const
export type OwnTool = (typeof OWN_TOOLS)[number]

const webhookTool = z.strictObject({
  type: z.literal('webhook').describe('A function of yours.'),
  name: z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,64}$/, { error: 'must have 1 to 64 letters, digits, _ and - only' })
    .describe('By which the model calls it.'),
  description: text(1000).describe('What it does; the model reads it.'),
  parameters: callerData
    .default({ type: 'object', properties: {} })
    .describe('JSON Schema of its arguments; the model reads it.'),
  url: address('https:', 'http:')
    .max(MAX_ADDRESS_LENGTH)
    .refine(storable, { error: NOT_STORABLE })
    .describe('Gets a signed POST with the arguments; its answer, up to 8,000 characters, is given to the model.'),
})
export type WebhookTool = z.output<typeof webhookTool>

const ownTool = z.strictObject({
  type: z
    .enum(OWN_TOOLS)
    .describe(
      '`send_chat` writes into the chat, `leave` leaves the meeting, `show_page` shows a page where the bot can show one.',
    ),
})

const AGENT_PROVIDERS = ['openai_realtime', 'deepgram', 'elevenlabs'] as const
export type AgentProviderName = (typeof AGENT_PROVIDERS)[number]

/** Fields that a request and its job have alike; the keys are secrets, which each has in its own form. */
export const agentFields = {
  provider: z
    .enum(AGENT_PROVIDERS)
    .describe(
      "The protocol of the server: OpenAI's Realtime interface, which hears questions, or Deepgram's Voice Agent and ElevenLabs Agents, which read them.",
    ),
  agent_id: text(200)
    .nullish()
    .describe('Of `elevenlabs`, which needs it, and of no other: the agent that you made there.'),
  url: webSocketAddress
    .max(MAX_ADDRESS_LENGTH)
    .refine(storable, { error: NOT_STORABLE })
    .nullish()
    .describe("A server that speaks the protocol. Absent: the operator's, else that of the provider."),
  model: text(100)
    .nullish()
    .describe(
      'As the server names it. Absent: `gpt-realtime-2.1`, with Deepgram `gpt-4o-mini`, with ElevenLabs that of the agent.',
    ),
  voice: text(100).nullish().describe('As the server names it. Absent: its usual one.'),
  instructions: text(16_000).nullish().describe('Who the agent is, and what it is to do.'),
  greeting: sayText.nullish().describe('It says this once it is in the meeting. Absent: it says nothing.'),
  address: z
    .enum(['name', 'always'])
    .default('name')
    .describe(
      "`name`: it answers who says its name or a wake phrase, or writes it into the chat, and that person's next turns until 10 s are quiet. It needs a live transcript. `always`: it answers every turn.",
    ),
  wake_phrases: phrases.default([]).describe('Further names to which it answers, such as `computer`.'),
  mute_words: phrases
    .default(['mute', 'be quiet', 'stop talking'])
    .describe('Who says one of them behind its name mutes it, until someone says its name and `unmute`.'),
  limits: z
    .strictObject({
      spoken_seconds: seconds(86_400, 3600, 'that it speaks in the meeting, all answers together.'),
      session_seconds: seconds(86_400, 14_400, 'from the start of the recording on, after which it ends.'),
    })
    .prefault({})
    .describe('After one of them the agent is silent; the bot records on.'),
  tools: z
    .array(z.discriminatedUnion('type', [ownTool, webhookTool]))
    .max(20)
    .default([])
    .refine((tools) => new Set(tools.map(toolName)).size === tools.length, { error: 'must not name a tool twice' })
    .describe('What the model may do, beside answering.'),
}
export type AgentTool = z.output<typeof agentFields.tools>[number]

export function toolName(tool: { type: OwnTool } | { type: 'webhook'; name: string }): string {
  return tool.type === 'webhook' ? tool.name : tool.type
}

/** Of webhooks. */
export function toolAddresses(agent: { tools: readonly AgentTool[] } | null | undefined): string[] {
  return (agent?.tools ?? []).flatMap((tool) => (tool.type === 'webhook' ? [tool.url] : []))
}

/** Fields that need or exclude another one. */
export function checkAgentFields(
  agent: {
    provider: AgentProviderName
    agent_id?: string | null | undefined
    tools: readonly { type: string }[]
    webhook_secret?: string | null | undefined
  },
  context: z.core.$RefinementCtx,
): void {
  const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
  if (!agent.webhook_secret && agent.tools.some(({ type }) => type === 'webhook'))
    refuse('webhook_secret', 'is needed by a tool of type webhook')
  const isMadeThere = agent.provider === 'elevenlabs'
  if (isMadeThere && !agent.agent_id) refuse('agent_id', 'is needed by the provider elevenlabs')
  if (!isMadeThere && agent.agent_id) refuse('agent_id', `is not taken by the provider ${agent.provider}`)
}

/** What else of a bot does not go together with its agent; null without an agent, or if all does. */
export function problemOfAgent({
  agent,
  transcription,
  streaming,
}: {
  agent?: { provider: AgentProviderName; address: 'name' | 'always' } | null | undefined
  transcription?: { provider: string; mode?: string | undefined } | null | undefined
  streaming?: { audio_frequency?: number | undefined } | null | undefined
}): Problem | null {
  if (!agent) return null
  const isLive = transcription?.mode?.startsWith('live') ?? transcription?.provider === 'captions'
  if (agent.address === 'name' && !isLive)
    return {
      path: 'agent.address',
      message: 'must be always, or the job needs a live transcript (mode live or live_and_after) to read its name in',
    }
  if (agent.provider !== 'openai_realtime' && !isLive)
    return {
      path: 'agent.provider',
      message: `${agent.provider} needs a live transcript, in which the bot reads questions`,
    }
  if ((streaming?.audio_frequency ?? AGENT_RATE) === AGENT_RATE) return null
  return {
    path: 'streaming.audio_frequency',
    message: `must be ${AGENT_RATE} with an agent, which speaks at this rate`,
  }
}

/** Hertz. */
const AGENT_RATE = 24_000

type Environment = Readonly<Record<string, string | null | undefined>>

export interface AgentAccess {
  /** WebSocket address. */
  url: string
  /** Null for servers that ask for none. */
  key: string | null
}

/** The usual address of each provider, and the operator's settings for it. */
const SERVERS = {
  openai_realtime: {
    url: 'wss://api.openai.com/v1/realtime',
    urlVariable: 'STANDIN_AGENT_URL',
    keyVariable: 'STANDIN_AGENT_KEY',
  },
  deepgram: {
    url: 'wss://agent.deepgram.com/v1/agent/converse',
    urlVariable: null,
    keyVariable: 'STANDIN_DEEPGRAM_KEY',
  },
  elevenlabs: {
    url: 'wss://api.elevenlabs.io/v1/convai/conversation',
    urlVariable: null,
    keyVariable: 'STANDIN_ELEVENLABS_KEY',
  },
} as const satisfies Record<AgentProviderName, object>

/** The operator's key goes to the operator's server only, never to an address of the caller. */
export function operatorKeyOf(
  { provider, url }: { provider: AgentProviderName; url?: string | null | undefined },
  environment: Environment,
): string | null {
  return url ? null : environment[SERVERS[provider].keyVariable] || null
}

/** Null if something is missing; that joins `problems`. */
export function agentAccessOf(
  agent: { provider: AgentProviderName; url?: string | null | undefined; api_key?: string | null | undefined },
  environment: Environment,
  problems: Problem[],
): AgentAccess | null {
  const { url: usual, urlVariable, keyVariable } = SERVERS[agent.provider]
  const key = agent.api_key || operatorKeyOf(agent, environment)
  if (agent.url) return { url: agent.url, key }
  const own = (urlVariable && environment[urlVariable]) || null
  const protocol = own !== null && URL.canParse(own) ? new URL(own).protocol : ''
  if (own !== null && !/^wss?:$/.test(protocol)) {
    problems.push({ path: 'STANDIN_AGENT_URL', message: 'must start with wss:// or ws://' })
    return null
  }
  if (key !== null || own !== null) return { url: own ?? usual, key }
  problems.push({ path: 'agent.api_key', message: `is missing: ${agent.provider} needs one (or ${keyVariable})` })
  return null
}

/** Those that need no key of the caller. */
export function agentProvidersIn(environment: Environment): AgentProviderName[] {
  return AGENT_PROVIDERS.filter((provider) => agentAccessOf({ provider }, environment, []) !== null)
}
