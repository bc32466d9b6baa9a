/** A meeting of synthetic voices, transcribed for real: flite speaks, pocketsphinx behind our interface listens. */
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { createOpenAiCompatible, transcribe } from '../../transcription/index.ts'
import { type Asked, startSpeechService } from './speech-service.ts'

const run = promisify(execFile)
const BOT_ID = '5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11'

const SCRIPT = [
  { speaker: 'Ann Berg', voice: 'slt', text: 'good morning everybody and welcome to the weekly meeting' },
  { speaker: 'Ben', voice: 'rms', text: 'the first thing on the list is the money for next year' },
  { speaker: 'Ann Berg', voice: 'slt', text: 'we need a larger office before the end of the summer' },
]
const GAP_SECONDS = 0.8

interface Line {
  speaker: string
  start: number
  end: number
  text: string
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'standin-transcript-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** `audio.m4a` and `diarization.jsonl` of the script, and where each line is. */
function record(place: string): Line[] {
  let at = GAP_SECONDS
  const lines: Line[] = []
  const inputs: string[] = []
  const delays: string[] = []
  for (const [index, { speaker, voice, text }] of SCRIPT.entries()) {
    const wave = join(place, `line-${index}.wav`)
    execFileSync('flite', ['-voice', voice, '-t', text, '-o', wave])
    const seconds = Number(
      execFileSync('ffprobe', ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', wave]),
    )
    inputs.push('-i', wave)
    delays.push(`[${index}:a]aresample=48000,adelay=${Math.round(at * 1000)}:all=1[a${index}]`)
    lines.push({ speaker, text, start: at, end: at + seconds })
    at += seconds + GAP_SECONDS
  }
  const mix = `${delays.join(';')};${lines.map((_, index) => `[a${index}]`).join('')}amix=inputs=${lines.length}:normalize=0,apad=pad_dur=1`
  execFileSync('ffmpeg', [
    '-v',
    'error',
    '-y',
    ...inputs,
    '-filter_complex',
    mix,
    '-ac',
    '2',
    '-b:a',
    '128k',
    join(place, 'audio.m4a'),
  ])
  const turns = lines.map(({ speaker, start, end }) => JSON.stringify({ speaker, start_time: start, end_time: end }))
  writeFileSync(join(place, 'diarization.jsonl'), `${turns.join('\n')}\n`)
  return lines
}

/** What pocketsphinx hears: one word a line with its times. */
async function listen({ file }: Asked) {
  const place = mkdtempSync(join(tmpdir(), 'standin-listen-'))
  try {
    writeFileSync(join(place, 'sound.m4a'), file)
    const wave = join(place, 'sound.wav')
    await run('ffmpeg', ['-v', 'error', '-y', '-i', join(place, 'sound.m4a'), '-ac', '1', '-ar', '16000', wave])
    const { stdout } = await run('pocketsphinx_continuous', ['-infile', wave, '-time', 'yes', '-logfn', '/dev/null'])
    const words = [...stdout.matchAll(/^([a-z'-]+)(?:\(\d+\))? (\d+\.\d+) (\d+\.\d+) (\d+\.\d+)/gm)].map(
      ([, word, start, end, probability]) => ({
        word: word!,
        start: Number(start),
        end: Number(end),
        probability: Math.min(1, Number(probability)),
      }),
    )
    return { body: { text: words.map(({ word }) => word).join(' '), language: 'english', words } }
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

/** Share of `wanted` that is heard, in order (longest common subsequence). */
function found(wanted: string[], heard: string[]): number {
  let row = new Array<number>(heard.length + 1).fill(0)
  for (const word of wanted) {
    const next = [0]
    for (let index = 0; index < heard.length; index++)
      next.push(heard[index] === word ? row[index]! + 1 : Math.max(row[index + 1]!, next[index]!))
    row = next
  }
  return row.at(-1)! / wanted.length
}

test('words, times and speakers are those of the script', async () => {
  const place = folder()
  const lines = record(place)
  const service = await startSpeechService(listen)
  const provider = createOpenAiCompatible({ url: service.url, key: null, model: 'm', customParams: {} })
  await transcribe(place, { botId: BOT_ID, provider, signal: new AbortController().signal })

  const made = JSON.parse(readFileSync(join(place, 'transcription.json'), 'utf8'))
  expect(made).toMatchObject({ bot_id: BOT_ID, provider: 'Default', result: { languages: ['english'] } })
  const { utterances } = made.result as {
    utterances: (Line & { words: { word: string; start: number; end: number }[] })[]
  }
  for (const { speaker, start, end, text } of lines) {
    const words = utterances
      .filter((utterance) => utterance.speaker === speaker)
      .flatMap((utterance) => utterance.words)
      .filter((word) => word.start >= start - 0.5 && word.end <= end + 0.5)
      .map(({ word }) => word)
    const share = found(text.split(' '), words)
    console.log(`${speaker}: ${Math.round(share * 100)} % of "${text}" heard as "${words.join(' ')}"`)
    expect(share).toBeGreaterThan(0.7)
  }
  expect(JSON.parse(readFileSync(join(place, 'raw_transcription.json'), 'utf8')).transcriptions).toHaveLength(1)
  expect(readFileSync(join(place, 'transcription.vtt'), 'utf8')).toContain('<v Ann Berg>')
})

test('a recording longer than the provider takes is cut in pauses, and the times go on', async () => {
  const place = folder()
  const lines = record(place)
  const service = await startSpeechService((_asked, number) => ({
    body: { words: [{ word: `piece${number}`, start: 0.9, end: 1.1 }] },
  }))
  const provider = createOpenAiCompatible({ url: service.url, key: null, model: 'm', customParams: {} })
  const short = { ...provider, maxSeconds: lines[1]!.end + 0.5 }
  await transcribe(place, { botId: BOT_ID, provider: short, signal: new AbortController().signal })
  expect(service.asked).toHaveLength(2)
  const { utterances } = JSON.parse(readFileSync(join(place, 'transcription.json'), 'utf8')).result as {
    utterances: Line[]
  }
  expect(utterances.map(({ text }) => text)).toEqual(['piece1', 'piece2'])
  const second = utterances[1]!.start - 0.9
  expect(second).toBeGreaterThan(lines[0]!.end)
  expect(second).toBeLessThan(lines[2]!.start)
})

test('a service that fails leaves no file and says why', async () => {
  const place = folder()
  record(place)
  const service = await startSpeechService(() => ({ status: 400, body: 'this sound is unknown' }))
  const provider = createOpenAiCompatible({ url: service.url, key: 'k', model: 'm', customParams: {} })
  const work = transcribe(place, { botId: BOT_ID, provider, signal: new AbortController().signal })
  await expect(work).rejects.toThrow('answered with status 400')
  expect(readdirSync(place).filter((name) => name.includes('transcription'))).toEqual([])
})
