/** How the Docker launcher reads a job and the engine's answers, without an engine. */
import { randomUUID } from 'node:crypto'
import {
  BOT_LIMITS,
  type ContainerSettings,
  containerOf,
} from '@standin/control-plane/launching/launchers/docker/container.ts'
import { isShortage, sentenceOf, wasNeverSent } from '@standin/control-plane/launching/launchers/docker/engine.ts'
import { endedState, stateOf } from '@standin/control-plane/launching/launchers/docker/evidence.ts'
import { withOperatorKeys } from '@standin/control-plane/launching/launchers/shared/container-environment.ts'
import { Tail } from '@standin/control-plane/launching/launchers/shared/log-tail.ts'
import type Docker from 'dockerode'
import { expect, test } from 'vitest'
import { MIB, NEEDS } from '../../needs.ts'
import { plainJob } from '../launcher-contract.ts'

const ADDRESS = { url: 'https://bots.example.com/job/1', token: 'one-time' }

function settingsWith(values: Partial<ContainerSettings> = {}): ContainerSettings {
  return {
    installation: 'installation',
    image: 'standin',
    network: null,
    mapHosts: [],
    environment: {},
    needs: NEEDS,
    limits: { ...BOT_LIMITS, cores: 2, memoryBytes: 1400 * MIB },
    seccompProfile: null,
    recordings: { path: '/data/recordings', source: '/data/recordings' },
    ...values,
  }
}

function made(values: Partial<ContainerSettings> = {}, job: Record<string, unknown> = {}) {
  const botId = randomUUID()
  const storage = { type: 'folder', path: `/data/recordings/${botId}/2` }
  const spec = { botId, attempt: 2, job: plainJob({ bot_id: botId, storage, ...job }) }
  return { botId, container: containerOf(spec, 'name', ADDRESS, settingsWith(values)) }
}

test('of the service only harmless variables reach a container', () => {
  const environment = {
    TZ: 'Europe/Berlin',
    PATH: '/bin',
    HOME: '/root',
    DATABASE_URL: 'postgres://x',
    DOCKER_HOST: 'unix:///x',
    STANDIN_LOG_LEVEL: 'debug',
    STANDIN_SECRET_KEYS: 'k1:x',
    STANDIN_DEEPGRAM_KEY: 'x',
    AWS_REGION: 'eu-central-1',
    AWS_SESSION_TOKEN: 'x',
    STANDIN_PRIVATE_ADDRESSES: 'allow',
  }
  expect(made({ environment }).container.Env!.sort()).toEqual([
    'AWS_REGION=eu-central-1',
    'STANDIN_JOB_TOKEN=one-time',
    'STANDIN_JOB_URL=https://bots.example.com/job/1',
    'STANDIN_LOG_LEVEL=debug',
    'STANDIN_PRIVATE_ADDRESSES=allow',
    'STANDIN_WORK_FOLDER=/recordings',
    'TZ=Europe/Berlin',
  ])
})

test("the operator's key of a speech service goes into the job, and never in place of the caller's", () => {
  const environment = { STANDIN_TRANSCRIPTION_KEY: 'default', STANDIN_DEEPGRAM_KEY: 'deepgram' }
  const keyFor = (transcription: object | null) =>
    withOperatorKeys(plainJob({ transcription }), environment).transcription?.api_key
  expect(keyFor(null)).toBeUndefined()
  expect(keyFor({ provider: 'Default' })).toBe('default')
  expect(keyFor({ provider: 'deepgram' })).toBe('deepgram')
  expect(keyFor({ provider: 'deepgram', api_key: 'caller' })).toBe('caller')
  expect(keyFor({ provider: 'assemblyai' })).toBeUndefined()
  expect(keyFor({ provider: 'captions' })).toBeUndefined()
  const voice = { STANDIN_VOICE_URL: 'https://voice.example', STANDIN_VOICE_KEY: 'voice' }
  expect(withOperatorKeys(plainJob({}), voice).voice_api_key).toBe('voice')
  const agentKeyOf = (fields: object) => {
    const agent = { provider: 'openai_realtime', address: 'always', ...fields }
    return withOperatorKeys(plainJob({ agent, transcription: { mode: 'live' } }), {
      STANDIN_AGENT_KEY: 'agent',
      STANDIN_DEEPGRAM_KEY: 'dg',
      STANDIN_ELEVENLABS_KEY: 'el',
    }).agent!.api_key
  }
  expect(agentKeyOf({})).toBe('agent')
  expect(agentKeyOf({ provider: 'deepgram' })).toBe('dg')
  expect(agentKeyOf({ provider: 'elevenlabs', agent_id: 'a' })).toBe('el')
  expect(agentKeyOf({ api_key: 'caller' })).toBe('caller')
  expect(agentKeyOf({ url: 'wss://evil.example/' })).toBeUndefined()
  expect(withOperatorKeys(plainJob({}), { STANDIN_VOICE_KEY: 'voice' }).voice_api_key).toBeUndefined()
})

test.each([
  ['the same path', '/data/recordings', (id: string) => `/data/recordings/${id}/2`],
  ["another path of the engine's machine", '/srv/calls/', (id: string) => `/srv/calls/${id}/2`],
])('recordings in a folder, known to the engine as %s: a bot gets its own part', (_, source, expected) => {
  const { botId, container } = made({ recordings: { path: '/data/recordings', source } })
  const Target = `/data/recordings/${botId}/2`
  expect(container.HostConfig!.Mounts).toEqual([{ Type: 'bind', Source: expected(botId), Target }])
})

test('a volume is mounted whole; recordings in S3 need no mount', () => {
  const { container } = made({ recordings: { path: '/data/recordings', source: 'calls' } })
  expect(container.HostConfig!.Mounts).toEqual([{ Type: 'volume', Source: 'calls', Target: '/data/recordings' }])
  const keys = { access_key_id: 'ASIA1', secret_access_key: 'secret', session_token: 'secret-token' }
  const s3 = made({ recordings: null }, { storage: { type: 's3', bucket: 'calls', ...keys } })
  expect(s3.container.HostConfig!.Mounts).toEqual([])
  expect(JSON.stringify(s3.container)).not.toMatch(/ASIA1|secret/)
})

test('a seccomp profile is given as the engine takes it, and the bridge knows its host', () => {
  const { HostConfig } = made({ seccompProfile: '{"a":1}' }).container
  expect(HostConfig!.SecurityOpt).toEqual(['no-new-privileges', 'seccomp={"a":1}'])
  expect(HostConfig!.ExtraHosts).toEqual(['host.docker.internal:host-gateway'])
  expect(made({ network: 'host' }).container.HostConfig!.ExtraHosts).toBeUndefined()
})

test('a container may take what the operator allows, and has a share by the need of its mode', () => {
  const { HostConfig, Labels } = made({}, { recording_mode: 'audio_only' }).container
  expect(HostConfig).toMatchObject({
    Memory: 1400 * MIB,
    MemorySwap: 1400 * MIB,
    MemoryReservation: 1024 * MIB,
    NanoCpus: 2e9,
    CpuShares: 307,
  })
  expect(Labels).toMatchObject({ 'standin.mode': 'audio_only' })
})

const facts = (state: Partial<Docker.ContainerInspectInfo['State']>, ageMs = 0) =>
  ({
    Created: new Date(Date.now() - ageMs).toISOString(),
    State: { ExitCode: 0, OOMKilled: false, Error: '', FinishedAt: '2026-11-26T10:00:00.5Z', ...state },
  }) as Docker.ContainerInspectInfo

test.each([
  ['created', 1_000, 'created'],
  ['created', 120_000, 'abandoned'],
  ['running', 120_000, 'running'],
  ['paused', 0, 'running'],
  ['restarting', 0, 'running'],
  ['removing', 0, 'going'],
  ['exited', 0, 'ended'],
  ['dead', 0, 'ended'],
])('a container that is %s for %s ms is %s', (Status, ageMs, expected) => {
  expect(stateOf(facts({ Status }, ageMs))).toBe(expected)
})

const noLog = { logs: () => Promise.reject(new Error('gone')) } as unknown as Docker.Container
const evidence = async (state: Partial<Docker.ContainerInspectInfo['State']>, wasOurs = false) => {
  const ended = await endedState(noLog, facts(state), wasOurs)
  return ended.state === 'ended' ? ended.evidence : null
}

test('out of memory is the flag of the engine beside any code, never a code alone', async () => {
  expect(await evidence({ ExitCode: 137 })).toMatchObject({ signal: 'SIGKILL', exitCode: null, isOutOfMemory: false })
  expect(await evidence({ ExitCode: 137, OOMKilled: true })).toMatchObject({ signal: 'SIGKILL', isOutOfMemory: true })
  expect(await evidence({ ExitCode: 3, OOMKilled: true })).toMatchObject({ exitCode: 3, isOutOfMemory: true })
})

test('the reason says who killed the bot where that is known, and what the engine said', async () => {
  expect((await evidence({ ExitCode: 137 }, true))!.reason).toBe('The service killed the bot')
  expect((await evidence({ ExitCode: 137 }))!.reason).toBe('The bot was killed')
  expect((await evidence({ ExitCode: 143 }))!.reason).toBe('The bot was ended by SIGTERM')
  expect((await evidence({ ExitCode: 127, Error: 'exec: no such file' }))!.reason).toContain('exec: no such file')
})

test('an unknown time of the engine is null, and a log that cannot be read loses no other evidence', async () => {
  expect(await evidence({})).toMatchObject({ exitCode: 0, endedAt: new Date('2026-11-26T10:00:00.5Z'), logTail: null })
  expect((await evidence({ FinishedAt: '0001-01-01T00:00:00Z' }))!.endedAt).toBe(null)
})

test('errors of the engine are distinguished', () => {
  const answer = (message: string) => Object.assign(new Error(`(HTTP code 500) ${message}`), { json: { message } })
  expect(sentenceOf(answer('No such container: x.'))).toBe('No such container: x')
  expect(isShortage(answer('fork/exec: cannot allocate memory'))).toBe(true)
  expect(isShortage(answer('network x not found'))).toBe(false)
  expect(wasNeverSent(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }))).toBe(true)
  expect(wasNeverSent(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }))).toBe(false)
})

test('the tail of a log is its last 64 KiB, however it comes in pieces', () => {
  const text = `${'x'.repeat(50)}${'ü'.repeat(70_000)}`
  const bytes = Buffer.from(text)
  for (const size of [1_000, 16_384, 65_536, 65_537, bytes.length]) {
    const tail = new Tail()
    for (let at = 0; at < bytes.length; at += size) tail.add(bytes.subarray(at, at + size))
    expect(tail.text()).toMatch(/^ü+$/)
    expect(Buffer.byteLength(tail.text())).toBe(65_536)
  }
  const short = new Tail()
  short.add(Buffer.from('a\0b'))
  expect(short.text()).toBe('a\u{FFFD}b')
  expect(new Tail().text()).toBe('')
})
