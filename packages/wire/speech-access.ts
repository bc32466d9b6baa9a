/** Which speech service transcribes, and how it is reached: from the job and the operator's environment. */
import type { Job, Problem, TranscriptionProvider } from './job.ts'

export type SpeechAccess =
  /** Any service that speaks OpenAI's interface for transcriptions; the key is null if it asks for none. */
  | { provider: 'Default'; url: string; key: string | null; model: string; liveUrl: string; liveModel: string }
  /** Null addresses are the service's usual ones. */
  | { provider: 'deepgram'; key: string; url: string | null }
  | { provider: 'assemblyai'; key: string; url: string | null; liveUrl: string | null }
  /** An engine on the bot's own machine: a package or module, and the folder of its model. */
  | { provider: 'local'; key: null; engine: string; models: string }
  /** The platform's own captions. */
  | { provider: 'captions'; key: null }

export interface TranscriptionPlan {
  access: SpeechAccess
  isLive: boolean
  /** Once more from the stored sound; if a plan is live only, this is the way out if sound was lost. */
  isAfterwards: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

/** Why the provider cannot transcribe in this mode; null if it can. */
export function problemOfMode({ provider, mode }: Pick<NonNullable<Job['transcription']>, 'provider' | 'mode'>) {
  if (mode === undefined) return null
  return provider === 'captions' && mode !== 'live' ? 'captions are live only' : null
}

/** Null if the job asks for none, or where something is wrong with it; that joins `problems`. */
export function transcriptionPlanOf(
  { transcription }: Pick<Job, 'transcription'>,
  environment: Environment,
  problems: Problem[],
): TranscriptionPlan | null {
  if (!transcription) return null
  const { provider, api_key: key } = transcription
  const mode = transcription.mode ?? (provider === 'captions' ? 'live' : 'after')
  const problem = problemOfMode(transcription)
  if (problem !== null) problems.push({ path: 'transcription.mode', message: problem })
  const access = speechAccessOf(provider, key ?? null, environment, problems)
  return access && { access, isLive: mode !== 'after', isAfterwards: mode !== 'live' }
}

/** Null if it is not complete; what is missing joins `problems`. A caller's `key` goes before the operator's. */
export function speechAccessOf(
  provider: TranscriptionProvider,
  key: string | null,
  environment: Environment,
  problems: Problem[],
): SpeechAccess | null {
  const addressIn = (name: string, protocols: string) => {
    const address = environment[name] || null
    if (address === null || new RegExp(`^(?:${protocols})$`).test(protocolOf(address))) return address
    problems.push({ path: name, message: `must start with ${protocols.replaceAll(':', '://').replace('|', ' or ')}` })
    return null
  }
  switch (provider) {
    case 'captions':
      return { provider, key: null }
    case 'local': {
      const models = environment.STANDIN_SPEECH_MODELS
      if (models)
        return { provider, key: null, models, engine: environment.STANDIN_SPEECH_ENGINE || 'sherpa-onnx-node' }
      problems.push({ path: 'transcription', message: 'no speech model is configured (STANDIN_SPEECH_MODELS)' })
      return null
    }
    case 'Default': {
      const url = addressIn('STANDIN_TRANSCRIPTION_URL', 'https:|http:')
      if (!environment.STANDIN_TRANSCRIPTION_URL) {
        const message = 'no speech service is configured (STANDIN_TRANSCRIPTION_URL)'
        problems.push({ path: 'transcription', message })
      }
      if (url === null) return null
      const ownLiveUrl = addressIn('STANDIN_TRANSCRIPTION_LIVE_URL', 'wss:|ws:')
      return {
        ...{ provider, url, key: key ?? (environment.STANDIN_TRANSCRIPTION_KEY || null) },
        model: environment.STANDIN_TRANSCRIPTION_MODEL || 'whisper-1',
        liveUrl: ownLiveUrl ?? `${url.replace(/^http/, 'ws').replace(/\/+$/, '')}/realtime?intent=transcription`,
        liveModel: environment.STANDIN_TRANSCRIPTION_LIVE_MODEL || 'gpt-live-transcribe',
      }
    }
    case 'deepgram': {
      const url = addressIn('STANDIN_DEEPGRAM_URL', 'https:|http:')
      const found = keyOf('STANDIN_DEEPGRAM_KEY')
      return found === null ? null : { provider, key: found, url }
    }
    case 'assemblyai': {
      const url = addressIn('STANDIN_ASSEMBLYAI_URL', 'https:|http:')
      const liveUrl = addressIn('STANDIN_ASSEMBLYAI_LIVE_URL', 'wss:')
      const found = keyOf('STANDIN_ASSEMBLYAI_KEY')
      return found === null ? null : { provider, key: found, url, liveUrl }
    }
  }

  function keyOf(name: string): string | null {
    const found = key ?? (environment[name] || null)
    if (found === null)
      problems.push({ path: 'transcription.api_key', message: `is missing: ${provider} needs one (or ${name})` })
    return found
  }
}

/** Why each provider cannot be used, without and with a key of the caller. Settings are named, and no value of one is in it. */
export type SpeechProblems = Record<
  Exclude<TranscriptionProvider, 'captions'>,
  { withoutKey: Problem | null; withKey: Problem | null }
>

export function speechProblemsOf(environment: Environment): SpeechProblems {
  const problemOf = (provider: TranscriptionProvider, key: string | null) => {
    const problems: Problem[] = []
    speechAccessOf(provider, key, environment, problems)
    return problems[0] ?? null
  }
  const of = (provider: TranscriptionProvider) => ({
    withoutKey: problemOf(provider, null),
    withKey: problemOf(provider, 'given'),
  })
  return { Default: of('Default'), local: of('local'), deepgram: of('deepgram'), assemblyai: of('assemblyai') }
}

function protocolOf(address: string): string {
  return URL.canParse(address) ? new URL(address).protocol : ''
}
