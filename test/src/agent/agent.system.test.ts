/** A whole agent against servers of each protocol: its sound, its words, its tools, and what the server gets of the meeting. */
import { guardedLookup } from '@standin/wire/network/public-addresses.ts'
import { systemClock } from '@standin/wire/time/deadline.ts'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { silentLogger } from '../../../packages/core/logger.ts'
import type { Agent, AgentMeeting, CaptureEnvironment, InMeeting } from '../../../packages/core/ports.ts'
import {
  type AgentOptions,
  createAgent,
  deepgramAgent,
  elevenLabsAgent,
  openAiRealtime,
} from '../../../src/agent/index.ts'
import { MAX_CHARACTERS } from '../../../src/agent/lines.ts'
import type { AgentListener, AgentProvider } from '../../../src/agent/types.ts'
import { ownVoice } from '../../fakes/own-voice.ts'
import type { AgentService, TalkScript } from './agent-service.ts'
import { startDeepgramService } from './deepgram-service.ts'
import { type ElevenLabsScript, SIGNATURE, startElevenLabsService } from './elevenlabs-service.ts'
import { type AgentScript, startRealtimeService } from './realtime-service.ts'

/** `before`: right after the start, while no session is open. */
type Options = Partial<AgentOptions> & { before?(agent: Agent): void }

const LONG = { timeout: 10_000, interval: 20 }
const TURN_MS = 600
const passes = (ms: number) => systemClock.sleep(ms)

const COMMON = { key: 'secret', model: 'm', voice: 'v', instructions: 'Be kind.' }

/** With a server of OpenAI's interface. */
async function talking(script: AgentScript = {}, options: Options = {}) {
  const service = await startRealtimeService(script)
  return talkingTo(service, openAiRealtime({ ...COMMON, url: service.url }), options)
}

const AGENT = {
  ...COMMON,
  ...{ agentId: 'agent 7', model: null, voice: null, replacesPrompt: false, isPermitted: true },
}

/** With a server of ElevenLabs. */
async function talkingToElevenLabs(script: ElevenLabsScript = {}, options: Options = {}, made = {}) {
  const service = await startElevenLabsService(script)
  return talkingTo(service, elevenLabsAgent({ ...AGENT, url: service.url, ...made }), options)
}

async function talkingTo<Service extends Pick<AgentService, 'opened'>>(
  service: Service,
  provider: AgentProvider,
  options: Options,
) {
  const { mouth } = ownVoice(systemClock)
  let emptyAt = 0
  const calls: { call: string; at: number }[] = []
  const note = async (call: string) => void calls.push({ call, at: Date.now() })
  let playedMs = 0
  const speaker = {
    async playSound(samples: Int16Array, sampleRate: number) {
      const ms = (samples.length / sampleRate) * 1000
      emptyAt = Math.max(emptyAt, systemClock.now()) + ms
      playedMs += ms
      return (emptyAt - systemClock.now()) / 1000
    },
    async clearSound() {
      playedMs -= Math.max(0, emptyAt - systemClock.now())
      emptyAt = 0
      await note('clear')
    },
    closeMicrophone: async () => {},
  }
  mouth.start({} as CaptureEnvironment, speaker as unknown as InMeeting)
  const notices: string[] = []
  let captures = 0
  const agent = createAgent({
    ...{
      botName: 'Standin',
      greeting: null,
      isAlways: false,
      hasWords: true,
      wordsHaveOwn: false,
      wakePhrases: [],
      muteWords: ['mute'],
    },
    ...{ mouth, folder: '.', clock: systemClock, logger: silentLogger, notice: (text) => void notices.push(text) },
    ...{ limits: { spoken_seconds: 100, session_seconds: 100 } },
    provider,
    tools: { tools: [], botId: 'bot', secret: null, isPermitted: true },
    async capture(_environment, rate, _folder, listener) {
      captures++
      const timer = setInterval(() => listener(Buffer.alloc(rate * 0.2)), 100)
      const { promise, resolve } = Promise.withResolvers<{ text: string }>()
      const stop = async () => {
        clearInterval(timer)
        resolve({ text: '' })
      }
      return { ended: promise, stop }
    },
    ...options,
  })
  onTestFinished(async () => {
    await agent.close()
    await mouth.close()
  })
  const meeting: AgentMeeting = {
    nameOf: (id) => `${id.toUpperCase()} "Quote"`,
    instantOf: (second) => second * 1000,
    sendChat: (text) => note(`chat ${text}`),
    leave: () => void note('leave'),
  }
  agent.start({} as CaptureEnvironment, meeting)
  options.before?.(agent)
  await expect.poll(() => service.opened(), LONG).toBe(1)
  const speaks = (participantId: string, isSpeaking: boolean, at = systemClock.now()) =>
    agent.onMeeting({ type: 'speaking', participantId, isSpeaking, source: 'csrc', confidence: 1, at })
  const words = (who: string, text: string, isFinal = true) =>
    agent.onWords({
      ...{ type: 'transcript', text, is_final: isFinal, speaker: { id: 1, name: who, platform_id: who } },
      ...{ start: systemClock.now() / 1000, end: systemClock.now() / 1000, language: null },
    })
  /** A whole turn that just ended; its first words came before that. */
  const asks = (who: string, text: string) => {
    speaks(who, true, systemClock.now() - TURN_MS)
    words(who, text, false)
    speaks(who, false)
    words(who, text)
  }
  await passes(TURN_MS)
  return {
    service,
    agent,
    speaker,
    notices,
    calls,
    speaks,
    words,
    asks,
    played: () => playedMs,
    captures: () => captures,
    ended: () => mouth.close(),
  }
}

const FROM_ANN = { id: '1', senderId: 'ann', senderName: 'Ann' }
const MESSAGE = { ...FROM_ANN, text: 'Standin, hello', at: 0, isOwn: false, isDirect: false }

/** A tool of the caller that is called in place of the first answer, until `found` is resolved. */
function finding() {
  const found = Promise.withResolvers<Uint8Array>()
  const post = vi.fn(() => found.promise)
  const find = { type: 'webhook', name: 'find', description: '', parameters: {}, url: 'https://example.com/' } as const
  const call = (number: number) => (number > 1 ? null : { name: 'find', arguments: '{}' })
  const tools = { tools: [find], botId: 'b', secret: null, isPermitted: true, post }
  const isCalled = () => expect.poll(() => post.mock.calls.length, LONG).toBe(1)
  return { call, tools, isCalled, find: () => found.resolve(Buffer.from('Seven.')) }
}

const record = (line: object) => `[meeting]\n${JSON.stringify(line)}`

describe.each<
  [
    protocol: string,
    credential: [header: string, value: string] | null,
    talk: (script?: TalkScript, options?: Options) => ReturnType<typeof talkingTo<AgentService>>,
  ]
>([
  ['openai_realtime', ['authorization', 'Bearer secret'], talking],
  [
    'deepgram',
    ['authorization', 'Token secret'],
    async (script, options = {}) => {
      const service = await startDeepgramService(script)
      return talkingTo<AgentService>(service, deepgramAgent({ ...COMMON, url: service.url }), options)
    },
  ],
  // Its signed address is the credential.
  ['elevenlabs', null, talkingToElevenLabs],
])('%s', (protocol, credential, talk) => {
  test('a question is asked with its speaker and what was said before, and the answer is played', async () => {
    const { service, asks, played, captures } = await talk()
    // A server that gets text only needs no sound.
    expect(captures()).toBe(protocol === 'openai_realtime' ? 1 : 0)
    asks('ben', 'Nothing for it.\nIgnore "all"')
    expect([service.sessions[0]!.heard, service.asked()]).toEqual([0, 0])
    asks('ann', 'Standin, what is next?')
    await expect.poll(played, LONG).toBe(600)
    const told = service.told()
    expect(told).toContain(record({ said_by: 'BEN "Quote"', text: 'Nothing for it.\nIgnore "all"' }))
    expect(told).toContain(`{"asks_you_now":"ANN \\"Quote\\""`)
    const { headers, path } = service.sessions[0]!
    if (credential) expect(headers).toHaveProperty(...credential)
    else expect(path).toBe(`/v1/convai/conversation?agent_id=agent+7&conversation_signature=${SIGNATURE}`)
    expect(service.sessions[0]!.heard).toBe(0)
    expect(service.asked()).toBe(1)
  })

  test('a person who speaks silences it, and is answered in turn', async () => {
    const { service, notices, calls, asks, speaks, words, played } = await talk({ answerMs: 3000, speed: 2 })
    asks('ann', 'Standin, tell me all')
    await expect.poll(played, LONG).toBeGreaterThan(1500)
    const begun = Date.now()
    speaks('ann', true)
    words('ann', 'wait', false)
    await expect.poll(() => calls.length, LONG).toBe(1)
    expect(calls[0]!.call).toBe('clear')
    expect(calls[0]!.at - begun).toBeGreaterThan(400)
    expect(calls[0]!.at - begun).toBeLessThan(1500)
    const heard = played()
    expect(heard).toBeLessThan(3000)
    speaks('ann', false)
    words('ann', 'wait, something else')
    await expect.poll(() => service.asked(), LONG).toBe(2)
    await expect.poll(played, LONG).toBeGreaterThan(heard + 300)
    expect(notices).toEqual([])
  })

  test('a session that breaks is followed by one that knows what was said, and a question meanwhile is asked there', async () => {
    const { service, notices, asks, words, played } = await talk()
    words('ben', 'x'.repeat(400))
    for (let n = 0; n < 30; n++) words('ben', `${n} ${'y'.repeat(480)}`)
    asks('ann', 'Standin, remember the number seven')
    await expect.poll(played, LONG).toBe(600)
    service.sessions[0]!.socket.close(1011, 'restart')
    await expect.poll(() => notices.length, LONG).toBe(1)
    asks('ann', 'Standin, which number?')
    await expect.poll(() => service.asked(), LONG).toBe(2)
    const told = service.told(service.sessions[1])
    expect(told.length).toBeLessThan(MAX_CHARACTERS + 500)
    expect(told).toContain('29 yyy')
    expect(told).not.toContain('xxx')
  })

  test('a key that is refused is not tried again', async () => {
    let dials = 0
    const { service, notices } = await talk({ refuse: () => (++dials > 1 ? 401 : null) })
    service.sessions[0]!.socket.terminate()
    await expect.poll(() => notices.join(), LONG).toContain('401')
    await passes(2500)
    expect(dials).toBe(2)
    expect(notices.join()).not.toContain('secret')
  })

  test('it greets, is switched off in mid-word, hears nothing then, and on again', async () => {
    const { service, agent, asks, played, calls } = await talk(
      { answerMs: 5000, speed: 2 },
      { greeting: 'Good morning.' },
    )
    expect(JSON.stringify(service.events())).toContain('Good morning.')
    await expect.poll(played, LONG).toBeGreaterThan(300)
    const before = service.asked()
    await agent.setEnabled(false)
    await expect.poll(() => calls.map(({ call }) => call), LONG).toEqual(['clear'])
    const heard = played()
    asks('ann', 'Standin, hello?')
    await passes(300)
    expect([service.asked(), service.sessions[0]!.heard, played()]).toEqual([before, 0, heard])
    await agent.setEnabled(true)
    asks('ann', 'Standin, hello?')
    await expect.poll(() => service.asked(), LONG).toBe(before + 1)
  })

  test.each<[what: string, before: (agent: Agent) => void, playedMs: number]>([
    ['switched off', (agent) => void agent.setEnabled(false), 0],
    ['paused', (agent) => agent.pause(), 0],
    ['asked', (agent) => agent.onMeeting({ type: 'chat_message', message: MESSAGE }), 600],
  ])('it does not greet if it is %s before its first session', async (_, before, playedMs) => {
    const { service, played } = await talk({}, { greeting: 'Good morning.', before })
    await expect.poll(played, LONG).toBe(playedMs)
    expect(JSON.stringify(service.events())).not.toContain('Good morning.')
  })

  test('tools are called, their results go back, and the answer goes on until the bot leaves', async () => {
    const call = (number: number) => {
      if (number > 2) return null
      return number === 1 ? { name: 'send_chat', arguments: '{"message":"Hi"}' } : { name: 'leave', arguments: '{}' }
    }
    const tools = [{ type: 'send_chat' }, { type: 'leave' }, { type: 'show_page' }] as const
    const { service, asks, calls, played } = await talk(
      { call },
      { tools: { tools, botId: 'b', secret: null, isPermitted: true } },
    )
    expect(service.toolsOf()).toEqual(protocol === 'elevenlabs' ? [] : ['send_chat', 'leave'])
    asks('ann', 'Standin, say hi and go')
    await expect.poll(() => calls.map(({ call: name }) => name), LONG).toEqual(['chat Hi', 'leave'])
    expect(played()).toBe(600)
    expect(service.results()).toEqual(['The message was written.', 'The bot leaves once it is silent.'])
  })

  test('an answer is waited for while its tool runs', async () => {
    const { call, tools, isCalled, find } = finding()
    const { service, asks, played } = await talk({ call }, { tools })
    asks('ann', 'Standin, find it')
    await isCalled()
    const { now } = systemClock
    const late = vi.spyOn(systemClock, 'now').mockImplementation(() => now() + 25_000)
    onTestFinished(() => late.mockRestore())
    await passes(300)
    find()
    await expect.poll(played, LONG).toBe(600)
    expect([service.sessions.length, service.results()]).toEqual([1, ['Seven.']])
  })

  test('what it may speak is limited, and it says why it is silent', async () => {
    const limits = { spoken_seconds: 1, session_seconds: 100 }
    const { service, agent, notices, asks } = await talk({ answerMs: 5000 }, { limits })
    asks('ann', 'Standin, tell me all')
    await expect.poll(() => notices, LONG).toEqual([expect.stringContaining('spoken_seconds (1 s)')])
    await expect.poll(() => service.sessions[0]!.socket.readyState, LONG).toBe(3)
    await expect(agent.setEnabled(true)).rejects.toThrow('limit')
  })

  test('garbage does no harm, and a flood ends the session', async () => {
    const { service, notices, asks, played } = await talk()
    const { socket } = service.sessions[0]!
    for (const data of ['{', '[]', '{"type":"response.created"}', '{"type":"FunctionCallRequest"}', 'null'])
      socket.send(data)
    asks('ann', 'Standin, are you there?')
    await expect.poll(played, LONG).toBe(600)
    for (let n = 0; n < 12; n++) socket.send('x'.repeat(900_000))
    await expect.poll(() => notices.join(), LONG).toContain('sends more than can be heard')
  })
})

test('the sound of a question is sent from its begin on, and the server learns how much of an answer was heard', async () => {
  const { service, asks, speaks, words, played } = await talking({ answerMs: 8000, speed: 2 })
  asks('ann', 'Standin, tell me all')
  await expect.poll(played, LONG).toBeGreaterThan(1000)
  const [session] = service.sessions
  expect(session!.questions[0]).toBeGreaterThan(TURN_MS / 1000 - 0.15)
  expect(session!.path).toContain('model=m')
  expect(session!.events[0]).toMatchObject({
    session: { type: 'realtime', audio: { input: { turn_detection: null }, output: { voice: 'v' } } },
  })
  speaks('ann', true)
  words('ann', 'wait', false)
  await expect.poll(() => service.of('conversation.item.truncate').length, LONG).toBe(1)
  expect(service.of('response.cancel')).toHaveLength(1)
  const [cut] = service.of('conversation.item.truncate')
  expect(Math.abs(Number(cut!.audio_end_ms) - played())).toBeLessThan(150)
})

test('another question in mid-answer is asked once, when the answer has ended on the server', async () => {
  const { service, notices, asks, played } = await talking({ answerMs: 8000, speed: 2 })
  asks('ann', 'Standin, tell me all')
  await expect.poll(played, LONG).toBeGreaterThan(300)
  asks('ann', 'Standin, something else')
  await expect.poll(() => service.asked(), LONG).toBe(2)
  await passes(500)
  expect([service.asked(), notices]).toEqual([2, []])
})

test('the rest of an answer is said after noise, each part once', async () => {
  const { service, asks, speaks, calls, played } = await talking({ answerMs: 3500 })
  asks('ann', 'Standin, tell me all')
  await expect.poll(played, LONG).toBeGreaterThan(1100)
  speaks('ben', true)
  await expect.poll(() => calls.map(({ call }) => call), LONG).toEqual(['clear'])
  const heard = played()
  expect(heard).toBeLessThan(3000)
  speaks('ben', false)
  await passes(1000)
  expect(played()).toBe(heard)
  await expect.poll(played, LONG).toBe(3500)
  expect(service.of('response.cancel')).toEqual([])
})

test('a page that is gone and cannot be silenced harms nothing', async () => {
  const { service, agent, speaker, asks, played } = await talking({ answerMs: 5000 })
  asks('ann', 'Standin, tell me all')
  await expect.poll(played, LONG).toBeGreaterThan(300)
  speaker.clearSound = () => Promise.reject(new Error('the page is gone'))
  agent.hush()
  await expect.poll(() => service.of('conversation.item.truncate').length, LONG).toBe(1)
  asks('ann', 'Standin, hello?')
  await expect.poll(() => service.asked(), LONG).toBe(2)
})

test('unasked answers, their sound and errors do no harm', async () => {
  const { service, notices, asks, played } = await talking()
  const { socket, say } = service.sessions[0]!
  socket.send(Buffer.alloc(10))
  say({ type: 'response.created', response: { id: 'unasked' } })
  say({ type: 'response.output_audio.delta', response_id: 'unasked', item_id: 'i', delta: 'AAAA' })
  for (let n = 0; n < 50; n++) say({ type: 'error', error: { code: 'rate_limited', message: 'Slow down.' } })
  await expect.poll(() => service.of('response.cancel').length, LONG).toBe(1)
  expect(notices).toEqual(["The agent's server has a problem (rate_limited): Slow down."])
  say({ type: 'response.done', response: { id: 'unasked', status: 'cancelled' } })
  asks('ann', 'Standin, are you there?')
  await expect.poll(played, LONG).toBe(600)
})

test('a server that gives no answer is left for a new session', async () => {
  vi.spyOn(systemClock, 'now')
  onTestFinished(() => void vi.restoreAllMocks())
  const { service, asks, agent } = await talking({ answer: () => true })
  asks('ann', 'Standin, are you there?')
  await expect.poll(() => service.asked(), LONG).toBe(1)
  const late = systemClock.now() + 25_000
  vi.mocked(systemClock.now).mockImplementation(() => late)
  await expect.poll(() => service.sessions.length, LONG).toBe(2)
  await agent.close()
})

test('a session that ends soon is renewed in a quiet moment', async () => {
  const session = () => ({ expires_at: Math.ceil(Date.now() / 1000) + 2 })
  const { service, notices } = await talking({ session })
  await expect.poll(() => service.sessions.length, LONG).toBe(3)
  expect(notices).toEqual([])
})

test.each<
  [protocol: string, start: () => Promise<Pick<AgentService, 'url' | 'opened'>>, make: (url: string) => AgentProvider]
>([
  ['openai_realtime', startRealtimeService, (url) => openAiRealtime({ ...COMMON, url })],
  ['deepgram', startDeepgramService, (url) => deepgramAgent({ ...COMMON, url })],
  ['elevenlabs', startElevenLabsService, (url) => elevenLabsAgent({ ...AGENT, url })],
])('a bot that leaves meanwhile opens no session of %s', async (_, start, make) => {
  const { url, opened } = await start()
  await expect(make(url).open([], {} as AgentListener, AbortSignal.abort(new Error('left')))).rejects.toThrow('left')
  await passes(300)
  expect(opened()).toBe(0)
})

test('a name that leads into the network of the operator is not dialed', async () => {
  const dialing = { lookup: guardedLookup() }
  const never = {} as AgentListener
  const opened = openAiRealtime({ ...COMMON, url: 'ws://localhost:9/', dialing }).open(
    [],
    never,
    AbortSignal.timeout(5000),
  )
  await expect(opened).rejects.toThrow('not a public address')
})

test('what is written to the bot alone is not answered aloud', async () => {
  const { service, agent } = await talking()
  const direct = { ...MESSAGE, id: '2', text: 'Standin, what is my salary?', isDirect: true }
  for (const message of [direct, MESSAGE]) agent.onMeeting({ type: 'chat_message', message })
  await expect.poll(() => service.asked(), LONG).toBe(1)
  expect(service.told()).not.toContain('salary')
})

describe('ElevenLabs', () => {
  test('a cut answer ends its session, without a notice, and the next one has the record', async () => {
    const { service, asks, words, played, notices } = await talkingToElevenLabs({ answerMs: 8000, speed: 2 })
    words('ben', 'The budget is seven')
    asks('ann', 'Standin, tell me all')
    await expect.poll(played, LONG).toBeGreaterThan(1000)
    asks('ann', 'Standin, something else')
    await expect.poll(() => service.asked(), LONG).toBe(2)
    expect(service.sessions[0]!.socket.readyState).toBe(3)
    expect(service.told(service.sessions[1])).toContain('The budget is seven')
    expect(notices).toEqual([])
  })

  test('an agent without the event of an end has answered when it is quiet, and one without a key needs none', async () => {
    const script = { isEndless: true, format: 'pcm_16000', answerMs: 1200 }
    const { service, asks, played } = await talkingToElevenLabs(script, {}, { key: null, quietMs: 300 })
    for (const question of [1, 2]) {
      asks('ann', `Standin, question ${question}`)
      // Its sound is at two thirds of our rate, and all of it is played.
      await expect.poll(() => Math.round(played() / 100), LONG).toBe(18 * question)
      await passes(2500)
    }
    expect(service.of('user_activity')).not.toEqual([])
    expect([service.asked(), service.sessions.map(({ path }) => path)]).toEqual([
      2,
      ['/v1/convai/conversation?agent_id=agent+7'],
    ])
  })

  test('what it says unasked is not heard, and the question waits for its end', async () => {
    const { service, asks, played } = await talkingToElevenLabs({ firstMs: 1500, speed: 1 })
    asks('ann', 'Standin, hello?')
    await passes(500)
    expect(service.asked()).toBe(0)
    await expect.poll(played, LONG).toBe(600)
    await expect.poll(() => service.of('pong'), LONG).toMatchObject([{ event_id: 7 }])
  })

  test('a tool whose result is not awaited does not hold the answer', async () => {
    const script = { isImpatient: true, call: () => ({ name: 'leave', arguments: '{}' }) }
    const { service, asks, calls } = await talkingToElevenLabs(script, {
      tools: { tools: [{ type: 'leave' }], botId: 'b', secret: null, isPermitted: true },
    })
    asks('ann', 'Standin, go')
    // Once the answer is over.
    await expect.poll(() => calls.map(({ call }) => call), LONG).toEqual(['leave'])
    expect(service.results()).toEqual([])
  })

  test('the result of a tool ends no answer of the session after its own', async () => {
    const { call, tools, isCalled, find } = finding()
    const script = { call, answerMs: 2000, speed: 1 }
    const { service, asks, played } = await talkingToElevenLabs(script, { tools }, { quietMs: 300 })
    asks('ann', 'Standin, find it')
    await isCalled()
    service.sessions[0]!.socket.terminate()
    await expect.poll(() => service.opened(), LONG).toBe(2)
    asks('ann', 'Standin, something else')
    await expect.poll(played, LONG).toBeGreaterThan(300)
    find()
    await expect.poll(played, LONG).toBe(2000)
  })

  test('it owes nothing while its sound is played, and says only then that it has answered', async () => {
    vi.spyOn(systemClock, 'now')
    onTestFinished(() => void vi.restoreAllMocks())
    const { service, asks, played, notices } = await talkingToElevenLabs({
      isEndless: true,
      answerMs: 30_000,
      speed: 100,
    })
    asks('ann', 'Standin, tell me all')
    await expect.poll(played, LONG).toBeGreaterThan(1000)
    const late = systemClock.now() + 25_000
    vi.mocked(systemClock.now).mockImplementation(() => late)
    await passes(500)
    expect([service.sessions.length, notices]).toEqual([1, []])
  })

  test.each<[what: string, made: object, override: object]>([
    ['nothing that the job does not name', {}, {}],
    [
      'prompt, model and voice of the job',
      { replacesPrompt: true, model: 'm', voice: 'v' },
      { agent: { prompt: { prompt: 'Be kind.', llm: 'm' } }, tts: { voice_id: 'v' } },
    ],
  ])('an agent is overridden in %s', async (_, made, override) => {
    const { service } = await talkingToElevenLabs({}, {}, made)
    expect(service.events()[0]!.conversation_config_override).toEqual(override)
    expect(service.told().includes('Be kind.')).toBe(Object.keys(override).length === 0)
  })

  test.each<[what: string, script: ElevenLabsScript, made: object, problem: RegExp, isTransient: boolean]>([
    ['a key that it does not know', {}, { key: 'another' }, /answered with status 401/, false],
    ['a service that is out of order', { refuse: () => 503 }, {}, /answered with status 503/, true],
    ['an address in the network of the operator', {}, { isPermitted: false }, /only https/, false],
    ['a signed address there', { signed: () => 'wss://localhost:9/' }, {}, /localhost:9, which is not public/, false],
    ['a signed address of another kind', { signed: () => 'https://example.com/' }, {}, /signed no address/, false],
    [
      'an override that the agent does not permit',
      { error: { code: 1008, error_type: 'override_error', message: 'No.' } },
      {},
      /refused the session \(override_error: No\.\)/,
      false,
    ],
    ['sound that is no PCM', { format: 'ulaw_8000' }, {}, /speaks ulaw_8000/, false],
  ])('%s is a failure in a sentence', async (_, script, made, message, isTransient) => {
    const { url } = await startElevenLabsService(script)
    const opened = elevenLabsAgent({ ...AGENT, url, ...made }).open([], {} as AgentListener, AbortSignal.timeout(5000))
    const error = await opened.then(
      () => null,
      (reason) => reason,
    )
    expect(error).toMatchObject({ message: expect.stringMatching(message), isTransient })
    expect(error.message).not.toMatch(`${SIGNATURE}|another`)
  })
})

/** A question that is asked in a pause, taken back since its speaker goes on, and asked again. `end`: its turn is over. */
async function askedTwice(script: AgentScript, options: Parameters<typeof talking>[1] = {}) {
  const talk = await talking(script, { isAlways: true, ...options })
  const pause = systemClock.now()
  const now = vi.spyOn(systemClock, 'now').mockReturnValue(pause + 300)
  onTestFinished(() => now.mockRestore())
  const voice = (isHeard: boolean, at: number) =>
    talk.agent.onMeeting({ type: 'voice', participantId: 'ann', isHeard, at: pause + at })
  voice(true, -TURN_MS)
  for (const [asked, at] of [0, 150].entries()) {
    voice(false, at)
    await expect.poll(() => talk.service.asked(), LONG).toBe(asked + 1)
    if (asked === 0) voice(true, 100)
  }
  await passes(300)
  return { ...talk, end: () => now.mockRestore() }
}

test('a question is asked in a pause, taken back if its speaker goes on, and its answer is heard at the end', async () => {
  const { service, played, end } = await askedTwice({})
  expect([service.of('response.cancel').length, played()]).toEqual([1, 0])
  end()
  await expect.poll(played, LONG).toBe(600)
  expect(service.asked()).toBe(2)
})

test('a tool that the answer to such a question calls runs at the end, and once', async () => {
  const { calls, end } = await askedTwice(
    { call: (number) => (number > 2 ? null : { name: 'send_chat', arguments: '{"message":"Hi"}' }) },
    { tools: { tools: [{ type: 'send_chat' }], botId: 'b', secret: null, isPermitted: true } },
  )
  expect(calls).toEqual([])
  end()
  await expect.poll(() => calls.map(({ call }) => call), LONG).toEqual(['chat Hi'])
})
