/** The Docker launcher on a real engine, with a small image in place of the worker's. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BOT_LIMITS } from '@standin/control-plane/launching/launchers/docker/container.ts'
import {
  createDockerLauncher,
  type DockerLauncherSettings,
} from '@standin/control-plane/launching/launchers/docker/launcher.ts'
import type { Launcher, LaunchHandle } from '@standin/control-plane/platform/ports.ts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { quiet } from '../../../world.ts'
import { SMALL_LIMITS, SMALL_NEEDS } from '../../needs.ts'
import { startRelay } from '../../relay.ts'
import { describeLauncher, type LauncherBench, plainJob } from '../launcher-contract.ts'
import { startOffers } from '../offers.ts'
import { buildStandInImage, DOCKER_SOCKET, docker, whyNoImage } from './stand-in-image.ts'

const IMAGE = 'standin-test-stand-in-bot'
const skipped = await whyNoImage()

beforeAll(async () => {
  if (skipped === null) await buildStandInImage(IMAGE)
})

interface DockerBench extends LauncherBench {
  offers: Awaited<ReturnType<typeof startOffers>>
  folder: string
  open(values?: Partial<DockerLauncherSettings>): Promise<Launcher>
}

async function dockerBench({ maxBots }: { maxBots: number }): Promise<DockerBench> {
  const folder = mkdtempSync(join(tmpdir(), 'standin-docker-'))
  const offers = await startOffers()
  const relay = await startRelay({ path: DOCKER_SOCKET }, join(folder, 'docker.sock'))
  const installations = [randomUUID()]
  const open = (values: Partial<DockerLauncherSettings> = {}) =>
    createDockerLauncher({
      host: `unix://${join(folder, 'docker.sock')}`,
      installation: installations[0]!,
      image: IMAGE,
      mayPull: false,
      network: 'host',
      mapHosts: [],
      environment: {},
      limits: { ...BOT_LIMITS, ...SMALL_LIMITS },
      needs: SMALL_NEEDS,
      seccompProfile: null,
      recordings: { path: join(folder, 'recordings'), source: join(folder, 'recordings') },
      maxBots,
      offers,
      workFolder: join(folder, 'bots'),
      log: quiet,
      ...values,
    })
  const logOf = async ({ name }: LaunchHandle) =>
    (await docker.getContainer(name).logs({ stdout: true, stderr: true })).toString()
  return {
    offers,
    folder,
    open,
    launcher: await open(),
    job: (does, says = '') => jobIn(folder, { extra: { does, says } }),
    reopen: () => open(),
    async stranger() {
      installations.push(randomUUID())
      return open({ installation: installations.at(-1)! })
    },
    whenWaiting: (handle) => expect.poll(() => logOf(handle)).toContain('waiting'),
    runs: async (handle) => (await logOf(handle)).match(/"arguments"/g)?.length ?? 0,
    engine: { leave: () => relay.leave(), comeBack: () => relay.comeBack() },
    runsOutOfMemory: true,
    keepsLogs: true,
    async close() {
      for (const installation of installations) {
        const filters = { label: [`standin.installation=${installation}`] }
        const left = await docker.listContainers({ all: true, filters })
        await Promise.all(left.map(({ Id }) => docker.getContainer(Id).remove({ force: true, v: true })))
      }
      await relay.close()
      offers.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function jobIn(folder: string, values: Record<string, unknown>) {
  const botId = randomUUID()
  return plainJob({
    bot_id: botId,
    storage: { type: 'folder', path: join(folder, 'recordings', botId, '1') },
    ...values,
  })
}

describeLauncher('Docker', dockerBench, skipped)

async function bench(): Promise<DockerBench> {
  const opened = await dockerBench({ maxBots: 20 })
  onTestFinished(() => opened.close())
  return opened
}

const ifEngine = test.skipIf(skipped !== null)

ifEngine('the description of a container shows its limits, and no secret but a token that was used', async () => {
  const environment = {
    DATABASE_URL: 'postgres://secret',
    STANDIN_SECRET_KEYS: 'id:secret',
    STANDIN_TRANSCRIPTION_KEY: 'secret',
    STANDIN_TRANSCRIPTION_URL: 'http://127.0.0.1:1/v1',
    AWS_SECRET_ACCESS_KEY: 'secret',
    PATH: '/service/path',
  }
  const { open, whenWaiting, offers, folder } = await bench()
  const launcher = await open({ environment, mapHosts: ['meet.google.com=127.0.0.1:9'] })
  const job = jobIn(folder, {
    control_plane: { url: 'ws://127.0.0.1:8080/link', token: 'secret-token' },
    transcription: { provider: 'deepgram', api_key: 'secret-key' },
    extra: { does: 'wait' },
  })
  const handle = await launcher.start({ botId: job.bot_id, attempt: 1, job })
  await whenWaiting(handle)
  const { Config, HostConfig, Mounts } = await docker.getContainer(handle.name).inspect()
  expect(JSON.stringify([Config, HostConfig, Mounts, handle])).not.toContain('secret')
  const token = offers.tokens.get(job.bot_id)!
  expect(Config.Env).toContain(`STANDIN_JOB_TOKEN=${token}`)
  const again = await fetch(offers.addressOf(job.bot_id, 1), { headers: { authorization: `Bearer ${token}` } })
  expect(again.status).toBe(410)

  expect(Config.Labels).toMatchObject({ 'standin.bot': job.bot_id, 'standin.attempt': '1' })
  expect(Config.Cmd).toEqual(['join', '--map-host', 'meet.google.com=127.0.0.1:9'])
  expect(Config.Env).toContain('STANDIN_PRIVATE_ADDRESSES=127.0.0.1:8080')
  expect(HostConfig).toMatchObject({
    AutoRemove: false,
    RestartPolicy: { Name: 'no' },
    ReadonlyRootfs: true,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges'],
    Memory: 128 * 1024 ** 2,
    MemorySwap: 128 * 1024 ** 2,
    NanoCpus: 1e9,
    PidsLimit: 500,
    ShmSize: 1024 ** 3,
  })
  // Its own part of the recordings, and nothing else of this machine.
  const binds = Mounts.filter(({ Type }) => Type === 'bind')
  expect(binds.map(({ Source, Destination, RW }) => ({ Source, Destination, RW }))).toEqual([
    {
      Source: job.storage.type === 'folder' && job.storage.path,
      Destination: `${folder}/recordings/${job.bot_id}/1`,
      RW: true,
    },
  ])
})

ifEngine('a container that was made and never started is no running bot, and gets no job any more', async () => {
  const { launcher, folder, offers } = await bench()
  const job = jobIn(folder, { extra: { does: 'exit:0' } })
  const handle = await launcher.start({ botId: job.bot_id, attempt: 1, job })
  await docker.getContainer(handle.name).wait()
  const { Config } = await docker.getContainer(handle.name).inspect()
  // As a service leaves it that is killed between the two calls.
  const name = `standin-${job.bot_id}-2`
  await docker.createContainer({ ...Config, name })
  await offers.offer({ botId: job.bot_id, attempt: 2, job }, 'token')
  const left = { ...handle, name }
  expect(await launcher.inspect(left)).toEqual({ state: 'unknown', reason: 'The bot is being started' })
  await launcher.kill(left)
  const answer = await fetch(offers.addressOf(job.bot_id, 2), { headers: { authorization: 'Bearer token' } })
  expect(answer.status).toBe(410)
})

ifEngine('what a bot with recordings in a bucket left in its container is copied out, plain files alone', async () => {
  const { open, whenWaiting, folder } = await bench()
  const launcher = await open({ recordings: null })
  const job = jobIn(folder, { storage: { type: 's3', bucket: 'calls' }, extra: { does: 'ignore' } })
  const botId = job.bot_id
  const handle = await launcher.start({ botId, attempt: 1, job })
  await whenWaiting(handle)
  const inContainer = async (script: string) => {
    const run = await docker.getContainer(handle.name).exec({ Cmd: ['sh', '-c', script] })
    await run.start({ Detach: true })
    await expect.poll(async () => (await run.inspect()).ExitCode).toBe(0)
  }
  const own = `/recordings/${botId}`
  await inContainer(`mkdir -p ${own}/spool && cd ${own} && echo one >events.jsonl && echo part >spool/1`)
  await inContainer(`cd ${own} && ln -s /etc/passwd link && ln -s / root`)
  const running = (await launcher.workFolder!(handle))!
  expect(readdirSync(join(running, botId))).toEqual(['events.jsonl'])

  await inContainer(`echo two >>${own}/events.jsonl`)
  await launcher.kill(handle)
  await expect.poll(async () => (await launcher.inspect(handle)).state).toBe('ended')
  const work = (await launcher.workFolder!(handle))!
  expect(readdirSync(join(work, botId)).sort()).toEqual(['events.jsonl', 'spool'])
  expect(readFileSync(join(work, botId, 'events.jsonl'), 'utf8')).toBe('one\ntwo\n')
  expect(readFileSync(join(work, botId, 'spool', '1'), 'utf8')).toBe('part\n')
  expect(await launcher.workFolder!(handle)).toBe(work)
  await launcher.clean(handle)
  expect(readdirSync(join(folder, 'bots'))).toEqual([])
  expect(await launcher.workFolder!(handle)).toBe(null)
})

ifEngine('a bot of another engine is unknown, also where this one has its name', async () => {
  const { launcher, job } = await bench()
  const wanted = job('wait')
  const handle = await launcher.start({ botId: wanted.bot_id, attempt: 1, job: wanted })
  expect(await launcher.inspect({ ...handle, engine: 'another' })).toMatchObject({ state: 'unknown' })
})

ifEngine('a container that cannot be started leaves nothing, and the reason names what the engine said', async () => {
  const { open, job, offers } = await bench()
  const launcher = await open({ network: 'standin-no-such-network' })
  const wanted = job('wait')
  await expect(launcher.start({ botId: wanted.bot_id, attempt: 1, job: wanted })).rejects.toThrow(
    /^The container of the bot could not be .*standin-no-such-network/,
  )
  expect(await launcher.list()).toEqual([])
  expect(await launcher.capacity()).toMatchObject({ limit: 20, free: 20 })
  expect(offers.given).toEqual([])
})

ifEngine("without a number the limit follows from the engine's cores and the needs of bots", async () => {
  const { open, job } = await bench()
  const { NCPU } = (await docker.info()) as { NCPU: number }
  const needs = { ...SMALL_NEEDS, gallery_view: { cores: 0.9 * NCPU - 0.03, memoryBytes: 1024 ** 2 } }
  const launcher = await open({ maxBots: null, needs })
  const wanted = { ...job('wait'), recording_mode: 'gallery_view' as const }
  await launcher.start({ botId: wanted.bot_id, attempt: 1, job: wanted })
  // The mode of the first one is a label of its container, which any launcher reads.
  const other = await open({ maxBots: null, needs })
  expect(await other.capacity()).toMatchObject({ limit: 4, free: 3 })
  const second = { ...wanted, bot_id: job('wait').bot_id }
  await expect(other.start({ botId: second.bot_id, attempt: 1, job: second })).rejects.toThrow(
    /^The bot would take .* cores .*; 0\.03 cores and \d+ MiB are left beside the bot that runs$/,
  )
})

ifEngine('an image that is missing stops the start with what to do about it', async () => {
  const { open } = await bench()
  await expect(open({ image: 'standin-no-such-image' })).rejects.toThrow(
    /does not have the image standin-no-such-image: build it .*STANDIN_BOT_IMAGE/,
  )
})

ifEngine('names that are no names of bots are refused', async () => {
  const { launcher } = await bench()
  await expect(launcher.kill({ name: '../../info' })).rejects.toThrow('is not the name of a bot')
})

test('an engine that is not there stops the start with a sentence', async () => {
  const settings = { image: IMAGE, host: 'unix:///nowhere/docker.sock', mayPull: false } as DockerLauncherSettings
  await expect(createDockerLauncher(settings)).rejects.toThrow(
    /^The Docker engine cannot be used: .*\/nowhere\/docker\.sock.*DOCKER_HOST/,
  )
})

afterAll(async () => {
  if (skipped === null) await docker.getImage(IMAGE).remove({ force: true })
})
