/** The transcript of the older generation of the API. */
import { expect, test } from 'vitest'
import { createArtifactLinks } from '../../../control-plane/files/artifact-links.ts'
import { openJobWorld } from './jobs/job-world.ts'

const world = await openJobWorld()

test('the older generation’s transcript is read from the stored one', async () => {
  const bot = await world.recordedBot()
  const word = { word: 'Good', start: 0.6, end: 0.9, confidence: null }
  const utterance = { text: 'Good', speaker: 'Ana', user_id: 1, start: 0.6, end: 1.4, channel: 0, words: [word] }
  const document = { bot_id: bot, provider: 'Default', result: { languages: [], utterances: [utterance] } }
  const bytes = new Uint8Array(Buffer.from(JSON.stringify(document)))
  await world.files.write(`${bot}/1/${bot}/transcription.json`, bytes, 'application/json')
  expect(await createArtifactLinks(world.database, world.files, 'https://standin.test').olderTranscript(bot)).toEqual([
    { speaker: 'Ana', offset: 0.6, start_time: 0.6, end_time: 1.4, words: [{ start: 0.6, end: 0.9, word: 'Good' }] },
  ])
})
