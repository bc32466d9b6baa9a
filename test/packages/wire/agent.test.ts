import { jobSchema, type Problem, problemsOf } from '@standin/wire/job.ts'
import { expect, test } from 'vitest'
import { agentAccessOf } from '../../../packages/wire/agent.ts'

const BASE = { bot_id: '5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11', meeting_url: 'https://meet.google.com/abc-defg-hij' }
const AGENT = { provider: 'openai_realtime', address: 'always' }
const HOOK = { type: 'webhook', name: 'find', description: 'Finds.', url: 'https://example.com/find' }
const LIVE = { transcription: { mode: 'live' } }

test.each<[agent: object, others: object, problem?: string]>([
  [{}, {}],
  [{ address: 'name' }, LIVE],
  [{ address: 'name' }, { transcription: { provider: 'captions' } }],
  [{ address: 'name' }, {}, 'agent.address'],
  [{ address: 'name' }, { transcription: { mode: 'after' } }, 'agent.address'],
  [{ provider: 'deepgram' }, LIVE],
  [{ provider: 'deepgram' }, {}, 'agent.provider'],
  [{ provider: 'elevenlabs', agent_id: 'a' }, LIVE],
  [{ provider: 'elevenlabs', agent_id: 'a' }, {}, 'agent.provider'],
  [{ provider: 'elevenlabs' }, LIVE, 'agent.agent_id'],
  [{ agent_id: 'a' }, {}, 'agent.agent_id'],
  [{}, { streaming: { input: 'wss://example.com/' } }],
  [{}, { streaming: { input: 'wss://example.com/', audio_frequency: 16_000 } }, 'streaming.audio_frequency'],
  [{ tools: [HOOK], webhook_secret: 's' }, {}],
  [{ tools: [HOOK] }, {}, 'agent.webhook_secret'],
  [{ tools: [{ type: 'leave' }, { type: 'leave' }] }, {}, 'agent.tools'],
  [{ tools: [{ type: 'leave' }, { ...HOOK, name: 'leave' }], webhook_secret: 's' }, {}, 'agent.tools'],
  [{ tools: [{ type: 'shell' }] }, {}, 'agent.tools.0.type'],
  [{ tools: [{ ...HOOK, name: 'a b' }], webhook_secret: 's' }, {}, 'agent.tools.0.name'],
  [{ tools: [{ ...HOOK, url: 'ftp://example.com/' }], webhook_secret: 's' }, {}, 'agent.tools.0.url'],
  [{ provider: 'parrot' }, {}, 'agent.provider'],
  [{ url: 'https://example.com/' }, {}, 'agent.url'],
  [{ speed: 2 }, {}, 'agent.speed'],
  [{ limits: { spoken_seconds: 0 } }, {}, 'agent.limits.spoken_seconds'],
  [{ greeting: ' ' }, {}, 'agent.greeting'],
  [{ wake_phrases: [''] }, {}, 'agent.wake_phrases.0'],
  [{ instructions: 'x'.repeat(16_001) }, {}, 'agent.instructions'],
  [{ api_key: 'a b' }, {}, 'agent.api_key'],
])('%j with %j', (agent, others, problem) => {
  const { error } = jobSchema.safeParse({ ...BASE, ...others, agent: { ...AGENT, ...agent } })
  expect(error ? problemsOf(error).map(({ path }) => path) : []).toEqual(problem ? [problem] : [])
})

const OPENAI = 'wss://api.openai.com/v1/realtime'
const DEEPGRAM = 'wss://agent.deepgram.com/v1/agent/converse'
const ELEVENLABS = 'wss://api.elevenlabs.io/v1/convai/conversation'
const KEYED = { STANDIN_AGENT_KEY: 'theirs' }

test.each<[agent: object, environment: Record<string, string>, access: object | null, problem?: string]>([
  [{ provider: 'deepgram' }, { STANDIN_DEEPGRAM_KEY: 'dg', STANDIN_AGENT_KEY: 'no' }, { url: DEEPGRAM, key: 'dg' }],
  [{ provider: 'deepgram' }, { STANDIN_AGENT_URL: 'ws://10.0.0.7/' }, null, 'agent.api_key'],
  [{ provider: 'elevenlabs' }, { STANDIN_ELEVENLABS_KEY: 'el' }, { url: ELEVENLABS, key: 'el' }],
  [{ api_key: 'mine' }, KEYED, { url: OPENAI, key: 'mine' }],
  [{}, KEYED, { url: OPENAI, key: 'theirs' }],
  [{}, {}, null, 'agent.api_key'],
  [{}, { STANDIN_AGENT_URL: 'ws://10.0.0.7/' }, { url: 'ws://10.0.0.7/', key: null }],
  [{}, { STANDIN_AGENT_URL: 'http://10.0.0.7/' }, null, 'STANDIN_AGENT_URL'],
  // The operator's key is never sent to a caller's address.
  [{ url: 'wss://evil.example/' }, KEYED, { url: 'wss://evil.example/', key: null }],
])('%j with %j', (agent, environment, access, problem) => {
  const problems: Problem[] = []
  expect(agentAccessOf({ provider: 'openai_realtime', ...agent }, environment, problems)).toEqual(access)
  expect(problems.map(({ path }) => path)).toEqual(problem ? [problem] : [])
})
