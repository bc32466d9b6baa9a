import { expect, test } from 'vitest'
import { transcriptIdsOf } from '../../../packages/wire/transcript-ids.ts'

test('ids are those of a provider that keeps transcripts, each once', () => {
  const raw = { bot_id: 'b', transcriptions: [{ id: 'a-1', text: 'Hello' }, { id: 'b_2' }, { id: 'a-1' }] }
  expect(transcriptIdsOf('assemblyai', raw)).toEqual(['a-1', 'b_2'])
  for (const provider of ['Default', 'deepgram', 'captions']) expect(transcriptIdsOf(provider, raw)).toEqual([])
})

test('what is no id is left out', () => {
  for (const id of ['', '../../v2/account', 'x'.repeat(101), 7, null])
    expect(transcriptIdsOf('assemblyai', { transcriptions: [{ id }, 'text', null] })).toEqual([])
  for (const document of [null, 7, {}, { transcriptions: 'none' }])
    expect(transcriptIdsOf('assemblyai', document)).toEqual([])
})
