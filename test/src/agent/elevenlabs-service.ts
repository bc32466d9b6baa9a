/** A server that speaks ElevenLabs Agents, and signs addresses for the key `secret` only. */
import { playTone, startAgentService, type TalkScript } from './agent-service.ts'

export const SIGNATURE = 'a-signature-of-the-server'

export interface ElevenLabsScript extends TalkScript {
  format?: string
  /** Said without a question, at the begin of each session. */
  firstMs?: number
  /** The agent does not have the event of an end. */
  isEndless?: boolean
  signed?(url: string): string
  /** In place of a session. */
  error?: object
  /** The answer to a call goes on without its result. */
  isImpatient?: boolean
}

export function startElevenLabsService(script: ElevenLabsScript = {}) {
  const { format = 'pcm_24000', firstMs, isEndless = false, refuse, signed = (url) => url, error, isImpatient } = script
  let signings = 0
  return startAgentService(
    {},
    {
      path: '/v1/convai/conversation',
      opens: 'conversation_initiation_client_data',
      asks: 'user_message',
      textOf: ({ text }) => String(text ?? ''),
      resultOf: ({ result }) => result,
      toolsOf: () => [],
      answer({ headers, url }, service) {
        const status = refuse?.(++signings) ?? (headers['xi-api-key'] === 'secret' ? 200 : 401)
        const { searchParams } = new URL(url!, service.url)
        searchParams.set('conversation_signature', SIGNATURE)
        return { status, body: { signed_url: signed(`${service.url}?${searchParams}`) } }
      },
      onSession({ say }, nextAnswer) {
        let stop = () => {}
        const play = (of: TalkScript, answer: string) => {
          stop()
          const event_id = 1
          const end = () =>
            isEndless || say({ type: 'agent_response_complete', agent_response_complete_event: { event_id } })
          say({ type: 'agent_response', agent_response_event: { agent_response: answer, event_id } })
          stop = playTone(
            of,
            (sound) => say({ type: 'audio', audio_event: { audio_base_64: sound.toString('base64'), event_id } }),
            end,
          )
        }
        const answer = () => {
          const number = nextAnswer()
          const call = script.call?.(number)
          if (!call) return play(script, `Answer ${number}.`)
          const parameters = JSON.parse(call.arguments)
          const made = {
            tool_call_id: `call_${number}`,
            tool_name: call.name,
            parameters,
            expects_response: !isImpatient,
          }
          say({ type: 'client_tool_call', client_tool_call: made })
          if (isImpatient) play(script, 'Done.')
        }
        return {
          stop: () => stop(),
          take({ type }) {
            if (type === 'conversation_initiation_client_data' && error) say({ type: 'error', error_event: error })
            else if (type === 'conversation_initiation_client_data') {
              const event = { conversation_id: 'c', agent_output_audio_format: format, user_input_audio_format: format }
              say({ type: 'conversation_initiation_metadata', conversation_initiation_metadata_event: event })
              say({ type: 'ping', ping_event: { event_id: 7, ping_ms: 5 } })
              if (firstMs) play({ ...script, answerMs: firstMs }, 'Hello!')
            } else if (['user_message', 'client_tool_result'].includes(type)) answer()
          },
        }
      },
    },
  )
}
