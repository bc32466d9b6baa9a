import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  fieldsOf,
  firstRequest,
  type OpenAiRequest,
  problemOfAnswer,
  requestAfter,
} from '../../../../src/transcription/providers/openai-request.ts'

/** Each is what a model may refuse, and the sentence that says so. */
const REFUSALS: Record<string, { refuses: (request: OpenAiRequest) => boolean; sentences: string[] }> = {
  times: {
    refuses: ({ hasTimes }) => hasTimes,
    sentences: [
      'timestamp_granularities is not supported',
      '{"detail":[{"loc":["body","timestamp_granularities[]"],"msg":"Extra inputs are not permitted"}]}',
      'Timestamp granularities cannot be used with this model.',
    ],
  },
  verbose: {
    refuses: ({ format }) => format === 'verbose_json',
    sentences: [
      "response_format 'verbose_json' is not compatible with model 'gpt-4o-transcribe'. Use 'json' or 'text' instead.",
      '{"error":{"message":"Unsupported value.","param":"response_format"}}',
      'Unsupported response format.',
      'bad request',
    ],
  },
  diarized: { refuses: ({ format }) => format === 'diarized_json', sentences: ["no 'diarized_json' here"] },
  // It names nothing that is in the request.
  uncut: {
    refuses: ({ isCut }) => !isCut,
    sentences: ['chunking_strategy is required for diarization models'],
  },
  cut: { refuses: ({ isCut }) => isCut, sentences: ['chunking_strategy is not supported'] },
}

const model = fc
  .shuffledSubarray(Object.keys(REFUSALS))
  .filter((kinds) => !(kinds.includes('cut') && kinds.includes('uncut')))
  .chain((kinds) =>
    fc.tuple(...kinds.map((kind) => fc.tuple(fc.constant(kind), fc.constantFrom(...REFUSALS[kind]!.sentences)))),
  )

test('every model gets, after few refusals, a request that it takes, with the times that it gives', () => {
  fc.assert(
    fc.property(model, (rules) => {
      let request = firstRequest({})
      const said: string[] = []
      for (;;) {
        const rule = rules.find(([kind]) => REFUSALS[kind]!.refuses(request))
        if (rule === undefined) break
        said.push(rule[1])
        const next = requestAfter(rule[1], request, {})
        expect(next, said.join(' / ')).not.toBeNull()
        request = next!
        expect(said.length).toBeLessThan(5)
        // What depends on the verbose form goes with it.
        expect(request.hasTimes && request.format !== 'verbose_json').toBe(false)
      }
      if (said.includes('bad request')) return
      const kinds = rules.map(([kind]) => kind)
      if (!kinds.includes('verbose')) expect(request.format).toBe('verbose_json')
      expect(request.hasTimes).toBe(!kinds.includes('times') && !kinds.includes('verbose'))
      if (kinds.includes('verbose') && request.isCut && said.at(-1)!.includes('response'))
        expect(request.format).toBe('diarized_json')
    }),
  )
})

test('the caller’s fields stay through every refusal, and then the refusal is the end', () => {
  const given = { response_format: 'json', chunking_strategy: 'none', file: 'x', prompt: 'Ann' }
  const request = firstRequest(given)
  for (const { sentences } of Object.values(REFUSALS))
    for (const sentence of sentences) expect(requestAfter(sentence, request, given)).toBeNull()
  expect(fieldsOf(request, 'm', given)).toEqual([
    ...[
      ['model', 'm'],
      ['response_format', 'json'],
      ['chunking_strategy', 'none'],
      ['prompt', 'Ann'],
    ],
  ])
})

test.each([
  [{ response_format: 'srt' }, 'not "srt"'],
  [{ response_format: ['json'] }, 'response_format'],
  [{ stream: true }, 'stream'],
  [{ response_format: 'diarized_json' }, null],
  [{}, null],
])('parameters %j whose answer is no transcript are named', (given, problem) => {
  if (problem === null) expect(problemOfAnswer(given)).toBeNull()
  else expect(problemOfAnswer(given)).toContain(problem)
})
