/** The worker's own command makes the transcript, with a speech service on this machine. */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { chooseBotUser } from '@standin/wire/process/bot-user.ts'
import { expect, onTestFinished, test } from 'vitest'
import { NoTranscript } from '../../../../control-plane/files/jobs/retranscription.ts'
import { createTranscribeCommand } from '../../../../control-plane/files/jobs/transcribe-command.ts'
import { packageRoot } from '../../../../packages/core/process/page-scripts.ts'
import { run } from '../../../../src/cli/run.ts'
import { temporaryFolder } from '../../../fakes/at-end.ts'
import { type Ended, inProcess } from '../../../fakes/in-process.ts'
import { PROGRAM_ENVIRONMENT } from '../../../servers/program-environment.ts'
import { startSpeechService } from '../../../src/transcription/speech-service.ts'

const BOT_ID = '5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11'
const SIGNAL = new AbortController().signal

function recording(): string {
  const place = mkdtempSync(join(tmpdir(), 'standin-transcribe-'))
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  const folder = join(place, BOT_ID)
  mkdirSync(folder)
  const sound = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=16000', '-t', '2']
  execFileSync('ffmpeg', ['-v', 'error', ...sound, '-c:a', 'aac', join(folder, 'audio.m4a')])
  const turn = { speaker: 'Ada', user_id: 7, start_time: 0, end_time: 2 }
  writeFileSync(join(folder, 'diarization.jsonl'), `${JSON.stringify(turn)}\n`)
  return folder
}

const PROGRAM = [process.execPath, join(packageRoot, 'src/cli/index.ts'), 'transcribe']

function command(environment: Record<string, string>, operator: Record<string, string>) {
  return createTranscribeCommand({
    command: PROGRAM,
    environment: { ...PROGRAM_ENVIRONMENT, ...environment },
    operator,
  })
}

test('the words of the speech service are in the transcript, with their speaker', async () => {
  const service = await startSpeechService(() => ({
    body: { text: 'Hello', language: 'english', words: [{ word: 'Hello', start: 0.1, end: 0.4 }] },
  }))
  const folder = recording()
  const speech = { provider: 'Default', apiKey: null, customParams: { prompt: 'Names: Ann' } }
  const operator = { STANDIN_TRANSCRIPTION_KEY: 'of-the-operator' }
  await command({ STANDIN_TRANSCRIPTION_URL: service.url }, operator)(folder, speech, SIGNAL)
  const { bot_id, result } = JSON.parse(readFileSync(join(folder, 'transcription.json'), 'utf8'))
  expect(bot_id).toBe(BOT_ID)
  expect(result.utterances).toMatchObject([{ speaker: 'Ada', user_id: 7, words: [{ word: 'Hello' }] }])
  expect(result.total_duration).toBeCloseTo(2, 0)
  expect(service.asked[0]?.fields).toContainEqual(['prompt', 'Names: Ann'])
  expect(service.asked[0]?.authorization).toBe('Bearer of-the-operator')
  // What decodes the sound of strangers has left root.
  const { user } = await chooseBotUser({}, [packageRoot], async () => {})
  expect(statSync(join(folder, 'transcription.json')).uid).toBe(user?.uid ?? process.getuid!())
})

test('a stopped program leaves no sound behind, and says so', async () => {
  const service = await startSpeechService(() => new Promise(() => {}))
  const [program, ...args] = PROGRAM
  const TMPDIR = temporaryFolder()
  chmodSync(TMPDIR, 0o777)
  const env = { ...PROGRAM_ENVIRONMENT, TMPDIR, STANDIN_TRANSCRIPTION_URL: service.url }
  const child = spawn(program!, [...args, recording()], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  await expect.poll(() => service.asked.length).toBe(1)
  child.kill('SIGTERM')
  expect(await text(child.stderr)).toContain('It was interrupted')
  expect(readdirSync(TMPDIR)).toEqual([])
})

/** The service's command, with a program that ends as the worker's command ended in this process. */
function commandThatEnds({ exitCode, errors }: Ended) {
  const program = ['/bin/sh', '-c', 'printf %s "$1" >&2; exit "$0"', String(exitCode), errors]
  return createTranscribeCommand({ command: program, environment: {} })
}
const SPEECH = { provider: 'Default', apiKey: null, customParams: null }

test('a refusal of the speech service is a sentence', async () => {
  const { url } = await startSpeechService(() => ({ status: 400, body: 'unknown model' }))
  const ended = await inProcess(run, ['transcribe', recording()], { STANDIN_TRANSCRIPTION_URL: url })
  const made = commandThatEnds(ended)('/nowhere', SPEECH, SIGNAL)
  await expect(made).rejects.toThrow(NoTranscript)
  await expect(made).rejects.toThrow(/400/)
})

test('an installation whose speech model is missing says so, in one line', async () => {
  const ended = await inProcess(run, ['transcribe', import.meta.dirname], { STANDIN_SPEECH_MODEL: '/nowhere/model' })
  await expect(commandThatEnds(ended)('/nowhere', SPEECH, SIGNAL)).rejects.toThrow(
    'It cannot be made: transcription: The folder of the speech model cannot be read: /nowhere/model',
  )
})

test('a program that does not work is no sentence for the caller', async () => {
  const made = createTranscribeCommand({ command: ['/bin/sh', '-c', 'exit 7'], environment: {} })
  const failure = await made('/nowhere', SPEECH, SIGNAL).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(Error)
  expect(failure).not.toBeInstanceOf(NoTranscript)
})

test('a stop ends the program', async () => {
  const made = createTranscribeCommand({ command: ['/bin/sh', '-c', 'exec sleep 600'], environment: {} })
  const stop = new AbortController()
  const running = made('/nowhere', SPEECH, stop.signal)
  setTimeout(() => stop.abort(), 300)
  await expect(running).rejects.toThrow()
})
