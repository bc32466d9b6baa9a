/**
 * What of a request for a transcription is ours to choose, and how it changes after a refusal. Models differ: some take no
 * times of words, some no verbose answer, and those that tell speakers apart want to be told how to cut the sound. Pure.
 */

type Params = Readonly<Record<string, unknown>>

export interface OpenAiRequest {
  format: string
  /** With times of words and segments. */
  hasTimes: boolean
  /** With the service's own way to cut long sound. */
  isCut: boolean
}

/** Answers that can be read as a transcript. */
const FORMATS = ['verbose_json', 'diarized_json', 'json']

/** Why the answer to a request with the caller's parameters could not be read, in one sentence; null if it can. */
export function problemOfAnswer({ response_format: format, stream }: Params): string | null {
  if (stream === true || stream === 'true') return 'stream must not be set: the answer is read as a whole'
  if (format === undefined || FORMATS.includes(format as string)) return null
  const given = String(JSON.stringify(format)).slice(0, 40)
  return `response_format must be ${FORMATS.join(', ')} or left out, not ${given}: a transcript is made of it`
}

/** `given`: the caller's parameters, which no refusal changes. */
export function firstRequest(given: Params): OpenAiRequest {
  const { response_format: format = 'verbose_json' } = given as { response_format?: string }
  return { format, hasTimes: format === 'verbose_json' && !hasOwnTimes(given), isCut: false }
}

/**
 * The request after this refusal: without what the refusal names and what depends on that, with what it demands; in its
 * plainest form if it names nothing of ours, or what is left out already. Null if nothing is left to change.
 */
export function requestAfter(refusal: string, request: OpenAiRequest, given: Params): OpenAiRequest | null {
  const text = refusal.toLowerCase().replace(/[\s-]+/g, '_')
  const isFormatNamed = /response_?format/.test(text) || text.includes(request.format)
  const areTimesNamed = TIMES.test(text)
  const isCutNamed = text.includes('chunking_strategy') && !('chunking_strategy' in given)
  const isNameless = !(isFormatNamed || areTimesNamed || isCutNamed)
  const isCut = isCutNamed ? !request.isCut : request.isCut
  const isOfSpeakers = request.format === 'verbose_json' && (isCut || text.includes('diariz'))
  let { format } = request
  if (!('response_format' in given))
    if (isNameless) format = 'json'
    else if (isFormatNamed) format = isOfSpeakers ? 'diarized_json' : 'json'
  // Times are given in the verbose form alone.
  const hasTimes = request.hasTimes && !isNameless && !areTimesNamed && format === 'verbose_json'
  const isChanged = (next: OpenAiRequest) => JSON.stringify(next) !== JSON.stringify(request)
  const plainest = { format: 'response_format' in given ? format : 'json', hasTimes: false, isCut: request.isCut }
  return [{ format, hasTimes, isCut }, plainest].find(isChanged) ?? null
}

/** The parameter, or what servers make of it. */
const TIMES = /timestamp[_ -]?granularit|(?:word|segment)(?:[_ -]level)?[_ -]timestamp/i

/** Whether a refusal is about what of the request is ours to choose. Some servers say so with a status of their own trouble. */
export function isOfOurs(refusal: string): boolean {
  return TIMES.test(refusal) || /response[_ -]?format|verbose_json|diarized_json|chunking_strategy/i.test(refusal)
}

/** The fields of the form but for the sound, with one entry for each value of a list. */
export function fieldsOf({ format, hasTimes, isCut }: OpenAiRequest, model: string, given: Params): [string, string][] {
  const { file: _, ...params } = given
  const fields = {
    ...{ model, response_format: format, ...(isCut && { chunking_strategy: 'auto' }), ...params },
    ...(hasTimes && { timestamp_granularities: ['word', 'segment'] }),
  }
  return Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [Array.isArray(value) ? `${name}[]` : name, asText(one)]),
  )
}

function hasOwnTimes(given: Params): boolean {
  return 'timestamp_granularities' in given || 'timestamp_granularities[]' in given
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
