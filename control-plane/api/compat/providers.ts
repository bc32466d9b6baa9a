/**
 * Speech providers of the hosted service. It has some that this service does not: their names select the operator's own
 * speech service, and their keys and parameters are not passed to another provider. Pure.
 */
const HOSTED_ONLY = new Set(['gladia', 'runpod', 'speechmatics', 'soniox'])
/** The word that every client of the hosted service knows. */
const KNOWN_WORD = 'gladia'
const OPERATORS_WORD = 'default'

/** Fields that hold a provider, in a body or in each item of one. */
const CONFIGURATIONS = ['speech_to_text', 'transcription_config', 'transcription']
const PARAMETERS = 'transcription_custom_parameters'

type Fields = Record<string, unknown>
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isHostedOnly = (word: unknown) => typeof word === 'string' && HOSTED_ONLY.has(word.toLowerCase())

/** A body, or a list of such, in which such providers are replaced by the operator's. */
export function withKnownProviders(body: unknown): unknown {
  return Array.isArray(body) ? body.map(knownProvider) : knownProvider(body)
}

function knownProvider(body: unknown): unknown {
  if (!isFields(body)) return body
  let changed = body
  for (const field of CONFIGURATIONS) {
    const given = changed[field]
    if (isHostedOnly(given)) changed = { ...changed, [field]: OPERATORS_WORD }
    else if (isFields(given) && isHostedOnly(given.provider))
      changed = { ...changed, [field]: { provider: OPERATORS_WORD } }
    else continue
    if (field === 'speech_to_text') delete changed[PARAMETERS]
  }
  return changed
}

/** An answer with only the providers that every client knows. */
export function withPublicProviders(answer: unknown): unknown {
  if (!isFields(answer) || !('data' in answer)) return answer
  const { data } = answer
  return { ...answer, data: Array.isArray(data) ? data.map(publicProvider) : publicProvider(data) }
}

function publicProvider(value: unknown): unknown {
  if (!isFields(value)) return value
  const changed: Fields = { ...value }
  if ('transcription_provider' in changed) changed.transcription_provider = null
  const configuration = changed.transcription_config
  if (isFields(configuration) && configuration.provider === OPERATORS_WORD)
    changed.transcription_config = { ...configuration, provider: KNOWN_WORD }
  return changed
}
