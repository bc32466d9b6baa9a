/**
 * A server that speaks OpenAI's Realtime interface. It refuses what the true one refuses: an empty question, a second answer
 * at a time, a truncation beyond the sound that there is.
 */
import { playTone, RATE, startAgentService, type TalkScript, type TalkSession } from './agent-service.ts'

interface RealtimeSession extends TalkSession {
  /** Seconds of each question. */
  questions: number[]
}

export interface AgentScript extends TalkScript {
  session?(dial: number): object
  /** Instead of the usual answer; true: that was all. */
  answer?(session: RealtimeSession, number: number): boolean
}

export function startRealtimeService(script: AgentScript = {}) {
  let dials = 0
  return startAgentService<RealtimeSession>(script, {
    path: '/v1/realtime',
    opens: 'session.update',
    asks: 'response.create',
    textOf: ({ item }) => ((item as { content?: { text: string }[] })?.content ?? []).map(({ text }) => text).join(''),
    resultOf: ({ item }) => (item as { output?: string })?.output,
    toolsOf: ({ session }) => (session as { tools: { name: string }[] }).tools,
    onSession(session, nextAnswer) {
      const { say } = session
      session.questions = []
      say({ type: 'session.created', session: script.session?.(++dials) ?? {} })
      let active: { id: string; stop?: () => void } | null = null
      const lengths = new Map<string, number>()
      const error = (code: string) =>
        say({ type: 'error', error: { type: 'invalid_request_error', code, message: code } })
      const end = (status: string) => {
        if (active === null) return
        active.stop?.()
        say({ type: 'response.done', response: { id: active.id, status } })
        active = null
      }
      const answer = () => {
        if (active !== null) return error('conversation_already_has_active_response')
        const number = nextAnswer()
        const id = `answer_${number}`
        active = { id }
        say({ type: 'response.created', response: { id } })
        if (script.answer?.(session, number)) {
          active = null
          return
        }
        const call = script.call?.(number)
        if (call) {
          const made = { response_id: id, call_id: `call_${number}`, ...call }
          say({ type: 'response.function_call_arguments.done', ...made })
          return end('completed')
        }
        active.stop = playTone(
          script,
          (sound, sentMs) => {
            lengths.set(`item_${number}`, sentMs)
            const delta = sound.toString('base64')
            say({ type: 'response.output_audio.delta', response_id: id, item_id: `item_${number}`, delta })
          },
          () => {
            say({ type: 'response.output_audio_transcript.done', response_id: id, transcript: `Answer ${number}.` })
            end('completed')
          },
        )
      }
      return {
        stop: () => active?.stop?.(),
        take(event) {
          if (event.type === 'session.update') say({ type: 'session.updated', session: {} })
          else if (event.type === 'input_audio_buffer.clear') session.heard = 0
          else if (event.type === 'input_audio_buffer.commit') {
            if (session.heard < RATE * 0.2) return error('input_audio_buffer_commit_empty')
            session.questions.push(session.heard / 2 / RATE)
            session.heard = 0
          } else if (event.type === 'response.create') answer()
          else if (event.type === 'response.cancel') {
            if (active === null) return error('response_cancel_not_active')
            active.stop?.()
            // It takes the true server a moment.
            setTimeout(() => end('cancelled'), 100)
          } else if (event.type === 'conversation.item.truncate') {
            const most = lengths.get(String(event.item_id)) ?? -1
            if (Number(event.audio_end_ms) > most) error('truncated_too_far')
          }
        },
      }
    },
  })
}
