/** A server that speaks Deepgram's Voice Agent: it refuses messages before its settings. */
import { playTone, RATE, startAgentService, type TalkScript } from './agent-service.ts'

const ANSWERED = ['InjectUserMessage', 'InjectAgentMessage', 'FunctionCallResponse']

export function startDeepgramService(script: TalkScript = {}) {
  return startAgentService(script, {
    path: '/v1/agent/converse',
    opens: 'Settings',
    asks: 'InjectUserMessage',
    textOf: (event) => String(event.content ?? event.prompt ?? event.message ?? ''),
    resultOf: ({ type, content }) => (type === 'FunctionCallResponse' ? content : null),
    toolsOf: ({ agent }) => (agent as { think: { functions?: { name: string }[] } }).think.functions,
    onSession({ say, socket }, nextAnswer) {
      let stop = () => {}
      let isApplied = false
      say({ type: 'Welcome', request_id: 'r' })
      const answer = () => {
        const number = nextAnswer()
        const call = script.call?.(number)
        if (call) {
          say({ type: 'FunctionCallRequest', functions: [{ id: `call_${number}`, client_side: true, ...call }] })
          return
        }
        stop()
        const end = () => {
          say({ type: 'ConversationText', role: 'assistant', content: `Answer ${number}.` })
          say({ type: 'AgentAudioDone' })
        }
        stop = playTone(script, (sound) => socket.send(sound), end)
      }
      return {
        stop: () => stop(),
        take({ type, audio }) {
          if (type === 'Settings') {
            isApplied = true
            const { output } = audio as unknown as { output: { sample_rate: number } }
            say({ type: output.sample_rate === RATE ? 'SettingsApplied' : 'Error', code: 'RATE', description: '' })
          } else if (!isApplied) say({ type: 'Error', code: 'NOT_APPLIED', description: 'Too early.' })
          else if (ANSWERED.includes(type)) answer()
        },
      }
    },
  })
}
