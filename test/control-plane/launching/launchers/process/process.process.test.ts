import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  createProcessLauncher,
  type ProcessLauncherSettings,
} from '@standin/control-plane/launching/launchers/process/launcher.ts'
import { type EndEvidence, type Launcher, type LaunchHandle, NoRoom } from '@standin/control-plane/platform/ports.ts'
import type { Job } from '@standin/wire/job.ts'
import { letPass } from '@standin/wire/process/bot-user.ts'
import { expect, onTestFinished, test } from 'vitest'
import { quiet } from '../../../world.ts'
import { GIB, machineOf, NEEDS } from '../../needs.ts'
import { plainJob } from '../launcher-contract.ts'

const PROGRAM = fileURLToPath(new URL('../stand-in-bot.mjs', import.meta.url))

async function open(values: Partial<ProcessLauncherSettings> = {}) {
  const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'standin-launcher-'))
  const settings = {
    folder,
    command: [process.execPath, PROGRAM],
    mapHosts: [],
    environment: { PATH: process.env.PATH, ...values.environment },
    maxBots: 50,
    needs: NEEDS,
    log: quiet,
    ...values,
  }
  const launcher = await createProcessLauncher(settings)
  onTestFinished(async () => {
    for (const { handle } of await launcher.list()) {
      await launcher.kill(handle)
      await expect.poll(async () => (await launcher.inspect(handle)).state).not.toBe('running')
    }
    rmSync(folder, { recursive: true, force: true })
  })
  return { launcher, folder, settings }
}

const jobOf = (does: string, values: Record<string, unknown> = {}): Job => plainJob({ extra: { does }, ...values })

function launch(launcher: Launcher, job: Job, attempt = 1): Promise<LaunchHandle> {
  return launcher.start({ botId: job.bot_id, attempt, job })
}

async function ended(launcher: Launcher, handle: LaunchHandle): Promise<EndEvidence> {
  await expect.poll(async () => (await launcher.inspect(handle)).state).toBe('ended')
  const state = await launcher.inspect(handle)
  if (state.state !== 'ended') throw new Error(`The bot is ${state.state}`)
  return state.evidence
}

const logOf = (folder: string, { name }: LaunchHandle) => readFileSync(join(folder, name, 'log'), 'utf8')
const waiting = (folder: string, handle: LaunchHandle) =>
  expect
    .poll(() => readdirSync(join(folder, handle.name)).includes('log') && logOf(folder, handle))
    .toContain('waiting')
const botPid = (folder: string, { name }: LaunchHandle) =>
  Number(readFileSync(join(folder, name, 'bot'), 'utf8').split(' ')[0])
const supervisorPid = (folder: string, { name }: LaunchHandle) =>
  Number(readFileSync(join(folder, name, 'supervisor'), 'utf8').split(' ')[0])

test('a command that does not exist ends as a bot that says so', async () => {
  const { launcher, folder } = await open({ command: ['/nowhere/standin', 'join'] })
  const handle = await launch(launcher, jobOf('wait'))
  const evidence = await ended(launcher, handle)
  expect(evidence.exitCode).toBe(127)
  expect(evidence.logTail).toContain('/nowhere/standin')
  expect(readdirSync(join(folder, handle.name)).filter((name) => name.startsWith('job-'))).toEqual([])
})

test.runIf(process.geteuid?.() === 0)('as root, a bot that becomes another user reaches its work folder', async () => {
  const leave = fileURLToPath(new URL('../../../../packages/wire/process/leave-root-child.ts', import.meta.url))
  const [uid, gid] = ['-u', '-g'].map((option) => Number(execFileSync('id', [option, 'nobody'])))
  const botUser = { name: 'nobody', uid: uid!, gid: gid! }
  const environment = { PATH: process.env.PATH, STANDIN_BOT_USER: 'nobody' }
  const { launcher, folder } = await open({ command: [process.execPath, leave], botUser, environment })
  await letPass(botUser, folder)
  const handle = await launch(launcher, jobOf('exit:0'))
  expect(await ended(launcher, handle)).toMatchObject({ exitCode: 0 })
  expect(JSON.parse(logOf(folder, handle))).toMatchObject({ ids: [uid, uid, gid, gid], back: 'EPERM' })
  expect(statSync(join(folder, handle.name, 'work/bot/written')).uid).toBe(uid)
})

test.each([
  ['the patience is over', 'The service killed the bot'],
  ['a program outside kills it', 'The bot was killed from outside'],
])('a bot that ignores SIGTERM ends when %s, and the evidence says so', async (_when, reason) => {
  const { launcher, folder } = await open()
  const handle = await launch(launcher, jobOf('ignore'))
  await waiting(folder, handle)
  if (reason.includes('outside')) process.kill(botPid(folder, handle), 'SIGKILL')
  else await launcher.stop(handle, 200)
  expect(await ended(launcher, handle)).toMatchObject({
    exitCode: null,
    signal: 'SIGKILL',
    isOutOfMemory: false,
    reason,
  })
})

test('a kill counts as out of memory only where the kernel counted one while the bot ran', async () => {
  const { launcher, folder } = await open()
  const handle = await launch(launcher, jobOf('wait'))
  await waiting(folder, handle)
  const facts = join(folder, handle.name, 'launch.json')
  const counted = JSON.parse(readFileSync(facts, 'utf8'))
  writeFileSync(facts, JSON.stringify({ ...counted, outOfMemoryKills: 2 }))
  process.kill(botPid(folder, handle), 'SIGKILL')
  await ended(launcher, handle)
  writeFileSync(join(folder, handle.name, 'oom'), 'oom_kill_disable 0\noom_kill 3\n')
  expect(await ended(launcher, handle)).toMatchObject({
    isOutOfMemory: true,
    reason: 'The kernel killed the bot for lack of memory',
  })
  writeFileSync(join(folder, handle.name, 'oom'), 'oom_kill_disable 0\noom_kill 2\n')
  expect(await ended(launcher, handle)).toMatchObject({ isOutOfMemory: false })
})

test('a supervisor passes SIGTERM on and still reads the exit code', async () => {
  const { launcher, folder } = await open()
  const handle = await launch(launcher, jobOf('leave:200'))
  await waiting(folder, handle)
  process.kill(supervisorPid(folder, handle), 'SIGTERM')
  expect(await ended(launcher, handle)).toMatchObject({ exitCode: 4, signal: null })
})

test('a bot outlives its supervisor; when it ends then, its exit code is not invented', async () => {
  const { launcher, folder } = await open()
  const handle = await launch(launcher, jobOf('wait'))
  await waiting(folder, handle)
  process.kill(supervisorPid(folder, handle), 'SIGKILL')
  await expect.poll(() => readFileSync(`/proc/${botPid(folder, handle)}/stat`, 'utf8').split(' ')[3]).toBe('1')
  expect(await launcher.inspect(handle)).toEqual({ state: 'running' })
  await launcher.stop(handle, 60_000)
  expect(await ended(launcher, handle)).toMatchObject({
    exitCode: null,
    signal: null,
    reason: 'The bot and its supervisor are gone; how they ended is not known',
  })
})

test('starts of one name at once leave no job behind', async () => {
  const { launcher, settings, folder } = await open()
  const other = await createProcessLauncher(settings)
  const job = jobOf('wait')
  const [handle] = await Promise.all([launcher, other, launcher].map((each) => launch(each, job)))
  const jobs = () => readdirSync(join(folder, handle!.name)).filter((name) => name.startsWith('job-'))
  await expect.poll(jobs).toEqual([])
})

test('a machine that was restarted has no bots of before', async () => {
  const { launcher, folder } = await open()
  const handle = await launch(launcher, jobOf('wait'))
  await waiting(folder, handle)
  const facts = join(folder, handle.name, 'launch.json')
  const kept = readFileSync(facts, 'utf8')
  writeFileSync(facts, JSON.stringify({ ...JSON.parse(kept), boot: 'an earlier one' }))
  expect(await launcher.inspect(handle)).toMatchObject({
    state: 'ended',
    evidence: { exitCode: null, reason: 'The machine was restarted while the bot ran' },
  })
  writeFileSync(facts, JSON.stringify({ ...JSON.parse(kept), namespace: 'pid:[1]' }))
  expect(await launcher.inspect(handle)).toMatchObject({ state: 'unknown' })
  writeFileSync(facts, kept)
})

test('a process that got the same id later is not taken for the bot', async () => {
  const { launcher, folder } = await open()
  const handle = await launch(launcher, jobOf('exit:0'))
  await ended(launcher, handle)
  const place = join(folder, handle.name)
  rmSync(join(place, 'exit'))
  const [head, tail] = readFileSync(`/proc/${process.pid}/stat`, 'utf8').split(') ')
  const fields = tail!.split(' ')
  fields[19] = String(Number(fields[19]) - 1)
  for (const name of ['bot', 'supervisor']) writeFileSync(join(place, name), `${head}) ${fields.join(' ')}`)
  expect(await launcher.inspect(handle)).toMatchObject({ state: 'ended', evidence: { exitCode: null } })
})

test('a start that was interrupted before the supervisor is found out, and can then not happen any more', async () => {
  const { launcher, folder } = await open()
  const handle = await launch(launcher, jobOf('exit:0'))
  await ended(launcher, handle)
  const place = join(folder, handle.name)
  for (const name of ['exit', 'bot', 'supervisor']) rmSync(join(place, name))
  rmSync(join(place, 'claimed'), { recursive: true })
  expect(await launcher.inspect(handle)).toEqual({ state: 'unknown', reason: 'The bot is being started' })
  const old = new Date(Date.now() - 60_000)
  utimesSync(place, old, old)
  expect(await launcher.inspect(handle)).toMatchObject({
    state: 'ended',
    evidence: { reason: 'The bot was never started: the service ended before' },
  })
  expect(statSync(join(place, 'claimed')).isDirectory()).toBe(true)
})

test('a start that was interrupted before its facts were written is no bot, and its place is free after a restart', async () => {
  const { launcher, folder, settings } = await open({ maxBots: 1 })
  const place = join(folder, `standin-${randomUUID()}-1`)
  mkdirSync(place)
  writeFileSync(join(place, `job-${randomUUID()}.json`), '{}')
  // As a full disk leaves it.
  writeFileSync(join(place, 'launch.json'), '')
  expect(await launcher.list()).toEqual([])
  expect(await launcher.capacity()).toMatchObject({ limit: 1, free: 0 })
  const next = await createProcessLauncher(settings)
  expect(await next.capacity()).toMatchObject({ limit: 1, free: 1 })
  await launch(next, jobOf('exit:0'))
  expect(await next.list()).toHaveLength(1)
})

test('what is left of a bot that ran is not removed when its facts cannot be read', async () => {
  const { launcher, folder, settings } = await open()
  const handle = await launch(launcher, jobOf('exit:0'))
  await ended(launcher, handle)
  writeFileSync(join(folder, handle.name, 'launch.json'), '')
  expect(await (await createProcessLauncher(settings)).list()).toMatchObject([{ handle }])
})

test('a start that fails before its process leaves no folder', async () => {
  const { launcher, folder } = await open({ maxBots: 1 })
  const { bot_id: botId } = jobOf('exit:0')
  // It cannot be written, as on a full disk.
  const job = {
    ...jobOf('exit:0'),
    toJSON: () => {
      throw new Error('ENOSPC')
    },
  }
  await expect(launcher.start({ botId, attempt: 1, job })).rejects.toThrow('ENOSPC')
  expect(readdirSync(folder).filter((name) => name.startsWith('standin-'))).toEqual([])
  expect(await launcher.capacity()).toMatchObject({ limit: 1, free: 1 })
})

test('the bots of another data folder are unknown, not absent', async () => {
  const { launcher } = await open()
  const other = await open()
  const handle = await launch(other.launcher, jobOf('exit:0'))
  await ended(other.launcher, handle)
  expect(await launcher.inspect(handle)).toMatchObject({ state: 'unknown' })
})

test('unknown names are absent, and names that lead elsewhere are refused', async () => {
  const { launcher } = await open()
  const { home } = await launch(launcher, jobOf('exit:0'))
  expect(await launcher.inspect({ name: `standin-${randomUUID()}-1`, home: home! })).toEqual({ state: 'absent' })
  await expect(launcher.inspect({ name: '../../etc' })).rejects.toThrow('is not the name of a bot')
})

test('the job is a file for its owner alone; neither arguments nor variables hold a secret', async () => {
  const { launcher, folder } = await open({
    mapHosts: ['meet.google.com=127.0.0.1:9', 'zoom.us=127.0.0.1:8'],
    environment: {
      PATH: process.env.PATH,
      DATABASE_URL: 'postgres://secret',
      STANDIN_SECRET_KEYS: 'id:secret',
      STANDIN_TRANSCRIPTION_URL: 'http://127.0.0.1:1/v1',
      STANDIN_TRANSCRIPTION_KEY: 'secret-default',
      STANDIN_DEEPGRAM_KEY: 'secret-deepgram',
      STANDIN_ASSEMBLYAI_KEY: 'secret-assemblyai',
      AWS_SECRET_ACCESS_KEY: 'secret',
    },
  })
  const job = jobOf('wait', {
    control_plane: { url: 'ws://127.0.0.1:8080/link', token: 'top-secret-token' },
    transcription: { provider: 'deepgram' },
  })
  const handle = await launch(launcher, job)
  await waiting(folder, handle)
  const said = JSON.parse(logOf(folder, handle).split('\n')[0]!)
  expect(said.arguments).toEqual(['--map-host', 'meet.google.com=127.0.0.1:9', '--map-host', 'zoom.us=127.0.0.1:8'])
  expect(said.speechKey).toBe('secret-deepgram')
  expect(said.environment).toEqual(
    expect.arrayContaining(['PATH', 'STANDIN_JOB_FILE', 'STANDIN_TRANSCRIPTION_URL', 'STANDIN_PRIVATE_ADDRESSES']),
  )
  for (const name of said.environment) expect(name).not.toMatch(/DATABASE|SECRET|_KEY/)
  for (const pid of [botPid(folder, handle), supervisorPid(folder, handle)]) {
    const shown = readFileSync(`/proc/${pid}/cmdline`, 'utf8') + readFileSync(`/proc/${pid}/environ`, 'utf8')
    expect(shown).not.toContain('secret')
    expect(shown).toContain('STANDIN_PRIVATE_ADDRESSES=127.0.0.1:8080')
  }
  expect(statSync(join(folder, handle.name)).mode & 0o777).toBe(0o700)
})

const sparesOf = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('spare-'))
const processesIn = (folder: string) =>
  readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/cwd`).startsWith(folder)
    } catch {
      return false
    }
  })

test('a bot that stood by gets job, settings and hosts of its start; one that needs the keys of the service is a new one', async () => {
  const environment = { PATH: process.env.PATH, AWS_SECRET_ACCESS_KEY: 'secret' }
  const mapHostsOf = async () => ['zoom.us=127.0.0.1:8']
  const { launcher, folder } = await open({ environment, mapHostsOf, spareBots: 1, maxBots: 2 })
  await expect.poll(() => sparesOf(folder)).toHaveLength(1)
  const ambient = await launch(launcher, jobOf('exit:0', { storage: { type: 's3', bucket: 'recordings' } }))
  expect(sparesOf(folder)).toHaveLength(1)
  const handle = await launch(launcher, jobOf('wait'))
  expect(sparesOf(folder)).toEqual([])
  await waiting(folder, handle)
  const said = JSON.parse(logOf(folder, handle).split('\n')[0]!)
  expect(said.arguments).toEqual(['--stand-by', 'zoom.us=127.0.0.1:8'])
  expect(said.environment).toEqual(expect.arrayContaining(['STANDIN_PRIVATE_ADDRESSES', 'STANDIN_WORK_FOLDER']))
  expect(said.environment).not.toContain('AWS_SECRET_ACCESS_KEY')
  await ended(launcher, ambient)
  expect(logOf(folder, ambient)).toContain('AWS_SECRET_ACCESS_KEY')
})

test('no more bots stand by than there is room for, and they end with their launcher', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'standin-launcher-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const settings = {
    folder,
    command: [process.execPath, PROGRAM],
    mapHosts: [],
    environment: {},
    maxBots: 1,
    needs: NEEDS,
  }
  const module = import.meta.resolve('@standin/control-plane/launching/launchers/process/launcher.ts')
  const script = `const { createProcessLauncher } = await import('${module}')
    await createProcessLauncher({ ...${JSON.stringify(settings)}, spareBots: 2 })
    setInterval(() => {}, 1000)`
  const service = spawn(process.execPath, ['--input-type=module', '-e', script])
  // A supervisor and its bot.
  await expect.poll(() => processesIn(folder), { timeout: 20_000 }).toHaveLength(2)
  service.kill('SIGKILL')
  await expect.poll(() => processesIn(folder), { timeout: 20_000 }).toEqual([])
})

test('a bot without S3 keys in its job gets those of the service', async () => {
  const environment = { PATH: process.env.PATH, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' }
  const { launcher, folder } = await open({ environment })
  const s3 = { type: 's3', bucket: 'recordings', endpoint: 'http://127.0.0.1:9000' }
  const ambient = await launch(launcher, jobOf('exit:0', { storage: s3 }))
  const own = await launch(
    launcher,
    jobOf('exit:0', { storage: { ...s3, access_key_id: 'c', secret_access_key: 'd' } }),
  )
  await ended(launcher, ambient)
  await ended(launcher, own)
  expect(logOf(folder, ambient)).toContain('AWS_SECRET_ACCESS_KEY')
  expect(logOf(folder, own)).not.toContain('AWS_SECRET_ACCESS_KEY')
})

test('twelve bots with sound fit on a machine that five with video fill', async () => {
  const machine = machineOf({ cores: 4, memoryBytes: 64 * GIB })
  const { launcher, folder, settings } = await open({ maxBots: null, machine })
  const start = (recording_mode: string) => launch(launcher, jobOf('wait', { recording_mode }))
  const video = await Promise.allSettled(Array.from({ length: 6 }, () => start('speaker_view')))
  const started = video.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  expect(started).toHaveLength(5)
  const refused = video.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  expect(refused[0]).toBeInstanceOf(NoRoom)
  expect(refused[0].message).toBe(
    'The bot would take 0.70 cores and 1024 MiB; 0.10 cores and 59904 MiB are left beside the 5 bots that run',
  )
  // Their modes are in their folders, for the next service too.
  expect(await (await createProcessLauncher(settings)).capacity()).toMatchObject({ limit: 5, free: 0 })
  for (const handle of started) {
    await launcher.kill(handle)
    await ended(launcher, handle)
  }
  const audio = await Promise.allSettled(Array.from({ length: 13 }, () => start('audio_only')))
  expect(audio.filter(({ status }) => status === 'fulfilled')).toHaveLength(12)
  expect(readdirSync(folder).filter((name) => name.startsWith('standin-'))).toHaveLength(17)
})

test('load of other programs keeps no bot waiting, and is logged once', async () => {
  const warnings: string[] = []
  const measure = () => ({ cores: 4.5, availableBytes: GIB / 2 })
  const machine = { size: { cores: 4, memoryBytes: 4 * GIB }, measure }
  const log = { ...quiet, warn: (_fields: object, message: string) => void warnings.push(message) }
  const { launcher } = await open({ maxBots: null, machine, log })
  for (let n = 0; n < 2; n++) await launch(launcher, jobOf('wait'))
  expect(warnings).toEqual(['The machine is busy: bots that start now may not keep up'])
})
