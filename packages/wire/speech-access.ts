/** Which speech service transcribes, and how it is reached: from the job and the operator's environment. */
import type { Job, Problem, TranscriptionProvider } from './job.ts'

export type SpeechAccess =
  /** Any service that speaks OpenAI's interface for transcriptions; the key is null if it asks for none. */
  | { provider: 'Default'; url: string; key: string | null; model: string; liveUrl: string; liveModel: string }
  /** Null addresses are the service's usual ones. */
  | { provider: 'deepgram'; key: string; url: string | null }
  | { provider: 'assemblyai'; key: string; url: string | null; liveUrl: string | null }
  /**
   * The recognizer of the bot's own machine: a package or module, and the folder of its model, null for the built-in one. A
   * job may have called it `Default`.
   */
  | { provider: 'local'; name: 'Default' | 'local'; key: null; engine: string; models: string | null }
  /** The platform's own captions. */
  | { provider: 'captions'; key: null }

export interface TranscriptionPlan {
  access: SpeechAccess
  isLive: boolean
  /** Once more from the stored sound; if a plan is live only, this is the way out if sound was lost. */
  isAfterwards: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

/** Why the recognizer does not know a language that the caller chose; null if it knows it. `known` is null: many, or it is not known. */
export function problemOfLanguage(
  customParams: Readonly<Record<string, unknown>> | null | undefined,
  known: readonly string[] | null,
): string | null {
  const chosen = [customParams?.language ?? []].flat().filter((language) => typeof language === 'string')
  if (known === null) return null
  const names = new Intl.DisplayNames('en', { type: 'language' })
  const isKnown = (language: string) =>
    known.some((one) => [one, names.of(one)?.toLowerCase()].includes(language.toLowerCase().split(/[-_]/)[0]))
  const foreign = chosen.find((language) => !isKnown(language))
  if (foreign === undefined) return null
  const all = known.map((one) => names.of(one)).join(', ')
  return `the speech model here knows ${all} only, not ${JSON.stringify(foreign.slice(0, 40))}. ${OTHER_LANGUAGES}`
}

/** What helps then. */
export const OTHER_LANGUAGES =
  'Name a model of that language in STANDIN_SPEECH_MODEL, or a speech service in STANDIN_TRANSCRIPTION_URL.'

/** Languages that the service of `Default` knows, as ISO 639-1; null: the operator named none. */
function languagesIn(environment: Environment): string[] | null {
  const named = environment.STANDIN_TRANSCRIPTION_LANGUAGES?.split(',').map((one) => one.trim().toLowerCase())
  return named?.filter(Boolean) ?? null
}

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
  if (provider === 'Default') {
    const foreign = problemOfLanguage(transcription.custom_params, languagesIn(environment))
    if (foreign !== null) problems.push({ path: 'transcription.custom_params.language', message: foreign })
  }
  const access = speechAccessOf(provider, key ?? null, environment, problems)
  return access && { access, isLive: mode !== 'after', isAfterwards: mode !== 'live' }
}

/**
 * Null if it is not complete; what is missing joins `problems`. A caller's `key` goes before the operator's. `hasModel`:
 * bots have a recognizer of their own; `isOurs`: the service of `Default` is the recognizer of this machine.
 */
export function speechAccessOf(
  provider: TranscriptionProvider,
  key: string | null,
  environment: Environment,
  problems: Problem[],
  { hasModel = true, isOurs = false } = {},
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
    case 'local':
      return localAccess(provider)
    case 'Default': {
      if (!environment.STANDIN_TRANSCRIPTION_URL) return localAccess(provider)
      const url = addressIn('STANDIN_TRANSCRIPTION_URL', 'https:|http:')
      if (url === null || (isOurs && takesNoKey())) return null
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

  function localAccess(name: 'Default' | 'local'): SpeechAccess | null {
    if (!hasModel) {
      const message =
        'no speech service is configured (STANDIN_TRANSCRIPTION_URL), and there is no speech model; run: standin speech install'
      problems.push({ path: 'transcription', message })
      return null
    }
    if (takesNoKey()) return null
    const engine = environment.STANDIN_SPEECH_ENGINE || 'sherpa-onnx-node'
    return { provider: 'local', name, key: null, engine, models: environment.STANDIN_SPEECH_MODEL || null }
  }

  /** A key that is not used would be one that the caller believes to be. */
  function takesNoKey(): boolean {
    if (key === null) return false
    const message =
      'is not taken: the recognizer of this machine needs none, and no service is named in STANDIN_TRANSCRIPTION_URL'
    problems.push({ path: 'transcription.api_key', message })
    return true
  }

  function keyOf(name: string): string | null {
    const found = key ?? (environment[name] || null)
    if (found === null)
      problems.push({ path: 'transcription.api_key', message: `is missing: ${provider} needs one (or ${name})` })
    return found
  }
}

/**
 * Why each provider cannot be used, without and with a key of the caller. Settings are named, and no value of one is in it.
 * `languages`: those of `Default`.
 */
export type SpeechProblems = Record<
  Exclude<TranscriptionProvider, 'captions'>,
  { withoutKey: Problem | null; withKey: Problem | null }
> & { languages: readonly string[] | null }

/** As in `speechAccessOf`. */
export function speechProblemsOf(environment: Environment, { hasModel = false, isOurs = false } = {}): SpeechProblems {
  const problemOf = (provider: TranscriptionProvider, key: string | null) => {
    const problems: Problem[] = []
    speechAccessOf(provider, key, environment, problems, { hasModel, isOurs })
    return problems[0] ?? null
  }
  const of = (provider: TranscriptionProvider) => ({
    withoutKey: problemOf(provider, null),
    withKey: problemOf(provider, 'given'),
  })
  const providers = {
    Default: of('Default'),
    local: of('local'),
    deepgram: of('deepgram'),
    assemblyai: of('assemblyai'),
  }
  return { ...providers, languages: languagesIn(environment) }
}

function protocolOf(address: string): string {
  return URL.canParse(address) ? new URL(address).protocol : ''
}
