/** A server that speaks Deepgram's Voice Agent: it refuses messages before its settings, and says each answer as a tone. */
import { onTestFinished } from 'vitest'
import { openService } from '../transcription/service.ts'
import type { AgentService, ClientEvent, TalkScript, TalkSession } from './agent-service.ts'
import { RATE, tone } from './agent-service.ts'

export async function startDeepgramService(script: TalkScript = {}): Promise<AgentService> {
  const sessions: TalkSession[] = []
  let dials = 0
  let answers = 0
  const { port, close } = await openService({
    refuse: () => script.refuse?.(++dials) ?? null,
    onSocket(socket, request) {
      const say = (event: object) => socket.readyState === socket.OPEN && socket.send(JSON.stringify(event))
      const session: TalkSession = { headers: request.headers, path: request.url ?? '', socket, events: [], heard: 0 }
      sessions.push(session)
      let timer: NodeJS.Timeout | undefined
      let isApplied = false
      say({ type: 'Welcome', request_id: 'r' })
      const answer = () => {
        const number = ++answers
        const call = script.call?.(number)
        if (call) {
          const functions = [{ id: `call_${number}`, client_side: true, ...call }]
          say({ type: 'FunctionCallRequest', functions })
          return
        }
        const { answerMs = 600, speed = 10 } = script
        let sent = 0
        clearInterval(timer)
        timer = setInterval(() => {
          const ms = Math.min(100 * speed, answerMs - sent)
          sent += ms
          socket.send(tone(ms))
          if (sent < answerMs) return
          clearInterval(timer)
          say({ type: 'ConversationText', role: 'assistant', content: `Answer ${number}.` })
          say({ type: 'AgentAudioDone' })
        }, 100)
      }
      socket.on('close', () => clearInterval(timer))
      socket.on('message', (data: Buffer, isBinary) => {
        if (isBinary) {
          session.heard += data.byteLength
          return
        }
        const event = JSON.parse(data.toString()) as ClientEvent
        session.events.push({ ...event, at: Date.now() })
        if (event.type !== 'Settings' && !isApplied)
          say({ type: 'Error', code: 'NOT_APPLIED', description: 'Too early.' })
        if (event.type === 'Settings') {
          isApplied = true
          const { output } = event.audio as { output: { sample_rate: number } }
          say({ type: output.sample_rate === RATE ? 'SettingsApplied' : 'Error', code: 'RATE', description: '' })
        } else if (['InjectUserMessage', 'InjectAgentMessage', 'FunctionCallResponse'].includes(event.type)) answer()
      })
    },
  })
  onTestFinished(close)
  const events = () => sessions.flatMap((session) => session.events)
  return {
    url: `ws://127.0.0.1:${port}/v1/agent/converse`,
    sessions,
    events,
    of: (type) => events().filter((event) => event.type === type),
    opened: () => events().filter(({ type }) => type === 'Settings').length,
    asked: () => events().filter(({ type }) => type === 'InjectUserMessage').length,
    told: (session) =>
      (session ? session.events : events())
        .map((event) => String(event.content ?? event.prompt ?? event.message ?? ''))
        .join('\n'),
    results: () => events().flatMap((event) => (event.type === 'FunctionCallResponse' ? [String(event.content)] : [])),
    toolsOf: () => {
      const { think } = events()[0]!.agent as { think: { functions?: { name: string }[] } }
      return (think.functions ?? []).map(({ name }) => name)
    },
  }
}
