/** Which voice a bot speaks with, from the operator's environment. */
import type { Job, Problem } from './job.ts'

export type VoiceAccess =
  /** A service that speaks OpenAI's interface for speech; the key is null if it asks for none. */
  | { kind: 'service'; url: string; key: string | null; model: string; voice: string }
  /** A folder with a model for `sherpa-onnx-node`, and the number of its voice. */
  | { kind: 'model'; folder: string; voice: number }
  /** Debian's program, and the name of its voice. */
  | { kind: 'flite'; voice: string }

type Environment = Readonly<Record<string, string | undefined>>

const FLITE_VOICES = ['slt', 'awb', 'rms', 'kal', 'kal16']

/** What is wrong joins `problems`. */
export function voiceAccessOf(
  { voice_api_key: key }: Pick<Job, 'voice_api_key'>,
  environment: Environment,
  problems: Problem[],
): VoiceAccess {
  const url = environment.STANDIN_VOICE_URL
  const folder = environment.STANDIN_VOICE_MODEL
  const name = environment.STANDIN_VOICE_NAME || null
  const refuse = (path: string, message: string) => void problems.push({ path, message })
  if (url) {
    const protocol = URL.canParse(url) ? new URL(url).protocol : ''
    if (!/^https?:$/.test(protocol)) refuse('STANDIN_VOICE_URL', 'must start with https:// or http://')
    if (folder) refuse('STANDIN_VOICE_MODEL', 'does not go together with STANDIN_VOICE_URL')
    const model = environment.STANDIN_VOICE_SERVICE_MODEL || 'gpt-4o-mini-tts'
    return {
      ...{ kind: 'service', url, model, voice: name ?? 'alloy' },
      key: key ?? (environment.STANDIN_VOICE_KEY || null),
    }
  }
  if (folder) {
    const voice = Number(name ?? 0)
    if (!(Number.isInteger(voice) && voice >= 0))
      refuse('STANDIN_VOICE_NAME', `must be the number of a voice of the model, not ${JSON.stringify(name)}`)
    return { kind: 'model', folder, voice }
  }
  if (name !== null && !FLITE_VOICES.includes(name))
    refuse('STANDIN_VOICE_NAME', `must be one of ${FLITE_VOICES.join(', ')}, not ${JSON.stringify(name)}`)
  return { kind: 'flite', voice: name ?? 'slt' }
}
