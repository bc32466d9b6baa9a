import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeReport } from '../../../src/report/index.ts'
import type { ReportData } from '../../../src/report/page/data.ts'
import { linesOf } from '../../../src/report/page/moments.ts'
import { FACTS, HOSTILE, recordingFolder } from './recording-folder.ts'

async function pageOf(folder: string, facts = FACTS): Promise<{ html: string; data: ReportData }> {
  await writeReport(folder, facts)
  const html = readFileSync(join(folder, 'report.html'), 'utf8')
  const json = /<script id="data" type="application\/json">(.*?)<\/script>/s.exec(html)?.[1] ?? ''
  return { html, data: JSON.parse(json) as ReportData }
}

test('holds what the files hold, and names and messages only as data', async () => {
  const { html, data } = await pageOf(recordingFolder())
  expect(data).toMatchObject({
    meeting: 'Google Meet abc-defg-hij',
    startedAt: '2026-11-21T09:30:00.000Z',
    media: { kind: 'video', file: 'video.mp4' },
    people: [
      { name: 'Ann Berg', isHost: true },
      {
        name: HOSTILE,
        visits: [
          { from: 1, to: 9 },
          { from: 12, to: null },
        ],
      },
      {},
    ],
    turns: [{ person: 1, from: 0, to: 4 }, { name: HOSTILE }, { person: 3 }],
    chat: [
      { text: `Look: ${HOSTILE}` },
      { at: null, isBot: true },
      { answers: 'Standin: Hello', isEdited: true, isDeleted: false },
      { text: '', isDeleted: true },
    ],
    signs: [
      { person: 3, sign: '✋' },
      { person: null, sign: '🎉' },
    ],
  })
  expect(html).not.toContain('<img')
  expect(html).not.toContain('secret')
  expect(html.match(/<script/g)).toHaveLength(2)
  expect(data.gaps).toEqual([{ at: 8, seconds: 8.2 }])
  expect(data.quality).toEqual([
    ['Repeated frames', '5 of 500 (1.00 %)'],
    ['Longest freeze', '0.12 s'],
    ['Audio/video offset, at most', '14 ms'],
    ['Picture quality reduced', '1 time'],
    ['Clipped audio', '0.00 %'],
    ['Silence', '25.00 %'],
    ['Speech without a name', '3.2 s (16.00 %), first at 0:11'],
    ['Uncertain names', '0.5 s (2.50 %), first at 1:01:01'],
    ['Size', '2.5 MB'],
    ['Pauses', '1'],
    ['Missing parts', '8.2 s in 1 gap'],
  ])
})

test('a participant with their own track has a link to it', async () => {
  const folder = recordingFolder()
  mkdirSync(join(folder, 'audio'))
  writeFileSync(join(folder, 'audio/index.json'), JSON.stringify([{ file: '002-script.ogg', id: 2, name: HOSTILE }]))
  expect((await pageOf(folder)).data.people.map(({ voice }) => voice)).toEqual([null, 'audio/002-script.ogg', null])
})

test('a recording of sound alone, without participants, is a page too', async () => {
  const folder = recordingFolder()
  for (const name of ['participants.json', 'diarization.jsonl', 'chat_messages.json', 'reactions.jsonl'])
    rmSync(join(folder, name))
  const { html, data } = await pageOf(folder, { ...FACTS, files: ['audio.m4a'], quality: null, gaps: [] })
  expect(html).toContain('<audio id="player"')
  expect(data).toMatchObject({ people: [], turns: [], chat: [], signs: [] })
  expect(data.quality).toEqual([
    ['Size', '2.5 MB'],
    ['Pauses', '1'],
  ])
})

test('a damaged file is named, and no page is written', async () => {
  const folder = recordingFolder()
  writeFileSync(join(folder, 'diarization.jsonl'), '{"speaker": "Ann", "start_time"')
  await expect(writeReport(folder, FACTS)).rejects.toThrow('diarization.jsonl cannot be read')
  expect(existsSync(join(folder, 'report.html'))).toBe(false)
})

test('lines are in order of time; utterances replace turns if there is a transcript', () => {
  const turns = [{ person: 1, name: 'Ann', from: 5, to: 9, confidence: 1 }]
  const nothing = { isBot: false, isDirect: false, isEdited: false, isDeleted: false, isCut: false, answers: null }
  const chat = [{ name: 'Ben', at: 6, text: 'Hi', links: [], files: [], reactions: [], ...nothing }]
  const signs = [{ person: 1, name: 'Ann', at: 6.5, sign: '✋', text: 'raised a hand' }]
  const utterances = [{ name: 'Ann', from: 7, to: 8, text: 'Good morning' }]
  const texts = (spoken: typeof utterances) =>
    linesOf({ turns, chat, signs, utterances: spoken }, () => null).map(({ text }) => text)
  expect(texts([])).toEqual(['spoke for 0:04', 'Hi', 'raised a hand'])
  expect(texts(utterances)).toEqual(['Hi', 'raised a hand', 'Good morning'])
})

test('is written beside its place: a link there is replaced and not followed', async () => {
  const folder = recordingFolder()
  writeFileSync(join(folder, 'target'), 'of another program')
  symlinkSync(join(folder, 'target'), join(folder, 'report.html'))
  const { html } = await pageOf(folder)
  expect(readFileSync(join(folder, 'target'), 'utf8')).toBe('of another program')
  expect(html).toContain('<!doctype html>')
})
