/** The agent that a job asks for; null without one. */
import { systemClock } from '@standin/wire/time/deadline.ts'
import type { Logger } from '../../packages/core/logger.ts'
import { lookupFor } from '../../packages/core/network/address-policy.ts'
import type { Agent, ControlPlane, Mouth } from '../../packages/core/ports.ts'
import { createAgent, deepgramAgent, instructionsFor, openAiRealtime } from '../agent/index.ts'
import type { BotConfig } from '../job/config.ts'
import { captureSink } from '../streaming/index.ts'

export function openAgent(config: BotConfig, mouth: Mouth, control: ControlPlane, logger: Logger): Agent | null {
  const { job, agent: access, transcription, permitted, workFolder: folder } = config
  const { agent } = job
  if (!agent || access === null) return null
  const instructions = instructionsFor(job.bot_name, agent.instructions ?? null)
  const common = { ...access, instructions, dialing: lookupFor(config, 'agent.url') }
  const { model, voice } = agent
  const provider =
    agent.provider === 'deepgram'
      ? deepgramAgent({ ...common, model: model ?? 'gpt-4o-mini', voice: voice ?? 'aura-2-thalia-en' })
      : openAiRealtime({ ...common, model: model ?? 'gpt-realtime-2.1', voice: voice ?? null })
  const secret = agent.webhook_secret ?? null
  return createAgent({
    ...{ provider, mouth, folder, capture: captureSink, clock: systemClock },
    ...{ botName: job.bot_name, greeting: (!job.continues && agent.greeting) || null, limits: agent.limits },
    ...{ isAlways: agent.address === 'always', hasWords: transcription?.isLive ?? false },
    wordsHaveOwn: transcription?.access.provider === 'captions',
    ...{ wakePhrases: agent.wake_phrases, muteWords: agent.mute_words },
    tools: { tools: agent.tools, botId: job.bot_id, secret, isPermitted: permitted.has('agent.tools') },
    logger: logger.child({ part: 'agent' }),
    notice: (message) => control.report({ type: 'notice', level: 'warning', message }),
  })
}
