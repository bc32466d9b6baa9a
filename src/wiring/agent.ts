/** The agent that a job asks for; null without one. */
import type { AgentAccess } from '@standin/wire/agent.ts'
import { systemClock } from '@standin/wire/time/deadline.ts'
import type { Logger } from '../../packages/core/logger.ts'
import { lookupFor } from '../../packages/core/network/address-policy.ts'
import type { Agent, ControlPlane, Mouth } from '../../packages/core/ports.ts'
import { createAgent, deepgramAgent, elevenLabsAgent, instructionsFor, openAiRealtime } from '../agent/index.ts'
import type { AgentProvider } from '../agent/types.ts'
import type { BotConfig } from '../job/config.ts'
import { captureSink } from '../streaming/index.ts'

export function openAgent(config: BotConfig, mouth: Mouth, control: ControlPlane, logger: Logger): Agent | null {
  const { job, agent: access, transcription, permitted, workFolder: folder } = config
  const { agent } = job
  if (!agent || access === null) return null
  const secret = agent.webhook_secret ?? null
  return createAgent({
    ...{ provider: openProvider(config, agent, access), mouth, folder, capture: captureSink, clock: systemClock },
    ...{ botName: job.bot_name, greeting: (!job.continues && agent.greeting) || null, limits: agent.limits },
    ...{ isAlways: agent.address === 'always', hasWords: transcription?.isLive ?? false },
    wordsHaveOwn: transcription?.access.provider === 'captions',
    ...{ wakePhrases: agent.wake_phrases, muteWords: agent.mute_words },
    tools: { tools: agent.tools, botId: job.bot_id, secret, isPermitted: permitted.has('agent.tools') },
    logger: logger.child({ part: 'agent' }),
    notice: (message) => control.report({ type: 'notice', level: 'warning', message }),
  })
}

function openProvider(
  config: BotConfig,
  agent: NonNullable<BotConfig['job']['agent']>,
  access: AgentAccess,
): AgentProvider {
  const { provider, model = null, voice = null, instructions: own, agent_id: agentId } = agent
  const instructions = instructionsFor(config.job.bot_name, own ?? null)
  const common = { ...access, instructions, dialing: lookupFor(config, 'agent.url') }
  switch (provider) {
    case 'openai_realtime':
      return openAiRealtime({ ...common, model: model ?? 'gpt-realtime-2.1', voice })
    case 'deepgram':
      return deepgramAgent({ ...common, model: model ?? 'gpt-4o-mini', voice: voice ?? 'aura-2-thalia-en' })
    case 'elevenlabs': {
      const isPermitted = config.permitted.has('agent.url')
      return elevenLabsAgent({ ...common, model, voice, agentId: agentId!, replacesPrompt: Boolean(own), isPermitted })
    }
  }
}
