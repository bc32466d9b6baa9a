/**
 * The chart for one node on a real cluster of two nodes (nodes.sh): two bots through the API, and in the middle of their meetings
 * a rolling update of each role and a drained node. Runs as
 *   sh test/docker/cluster/nodes.sh in npx vitest run --project=long test/docker/cluster
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ROLES } from '@standin/control-plane/main/config/config.ts'
import { afterAll, expect, test } from 'vitest'
import type { MockTruth } from '../../../packages/mock/types.ts'
import { type Received, startReceiver } from '../../control-plane/webhooks/receiver.ts'
import { passes } from '../../end-to-end/meeting-script.ts'
import type { Document } from '../manifests.ts'
import { programOf } from '../tools.ts'
import { chartObjects, DRAINED_NODE, meetingAddress, trialObjects } from './objects.ts'

const folder = process.env.STANDIN_CLUSTER_DIR
const LONG = { timeout: 300_000, interval: 500 }
/** Of the control plane's namespace, which all pods reach. */
const OWN_ADDRESS = '10.99.0.1'
/** A meeting without these would be over before the updates are. */
const DEPLOYMENTS = ROLES.map((role) => `deployment/standin-${role}`)

const closing: (() => unknown)[] = []
afterAll(async () => {
  for (const close of closing.reverse()) await close()
})

const run = async (program: string, ...args: string[]) =>
  (await promisify(execFile)(program, args, { maxBuffer: 2 ** 26 })).stdout
const kubectl = (...args: string[]) => run(programOf('kubectl'), ...args)
const standin = (...args: string[]) => kubectl('-n', 'standin', ...args)

const began = Date.now()
/** For the note. */
const say = (line: string) => console.log(`${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}`)

async function applyAll(): Promise<void> {
  // A second run on the same cluster would change the secrets.
  if ((await standin('get', 'secret', 'standin-secrets', '--ignore-not-found').catch(() => '')) !== '') return
  const apiVersions = (await kubectl('api-versions')).split('\n')
  const work = await mkdtemp(join(tmpdir(), 'standin-trial-'))
  closing.push(() => rm(work, { recursive: true }))
  const lists = { trial: trialObjects(folder!), chart: chartObjects(apiVersions) }
  for (const [name, items] of Object.entries(lists)) {
    await writeFile(join(work, name), JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
    await kubectl('apply', '-f', join(work, name))
  }
  await run('sh', join(import.meta.dirname, 'nodes.sh'), 'names')
}

async function rolledOut(...what: string[]): Promise<void> {
  for (const one of what) await standin('rollout', 'status', one, '--timeout', '5m')
}

interface Meeting {
  number: number
  url: string
  state: string
  isConnected: boolean
  truth: MockTruth
}

const host = async (path: string) => (await (await fetch(`${meetingAddress}/${path}`)).json()) as Meeting

/** Asks the API all the time, as a client that tries once; each request with its own connection. */
function watchApi(address: string) {
  const counts = { asked: 0, failed: 0 }
  let isOver = false
  const work = (async () => {
    while (!isOver) {
      const options = { signal: AbortSignal.timeout(5_000), headers: { connection: 'close' } }
      const answer = await fetch(`${address}/healthz`, options).catch(() => null)
      counts.asked++
      if (answer?.status !== 200) counts.failed++
      await passes(0.2)
    }
  })()
  return {
    counts,
    async end() {
      isOver = true
      await work
    },
  }
}

test.skipIf(folder === undefined)(
  'rolling updates of all roles and a drain lose nothing',
  async () => {
    await applyAll()
    say('applied')
    await rolledOut('statefulset/standin-database', 'deployment/standin-storage', ...DEPLOYMENTS)
    const restarted = (await podsOf()).filter(({ status }) => status.containerStatuses[0].restartCount > 0)
    say('all pods are ready')
    expect(restarted.map(({ metadata }) => metadata.name)).toEqual([])

    const receiver = await startReceiver(undefined, OWN_ADDRESS)
    closing.push(() => receiver.close())
    const shell = (...args: string[]) =>
      standin('exec', 'deployment/standin-api', '-c', 'service', '--', 'standin', 'service', ...args)
    await shell('endpoints', 'create', receiver.url)
    const { key } = JSON.parse(await shell('keys', 'create', '--name', 'trial', '--json')) as { key: string }
    const address = await standin('get', 'service/standin-api', '-o', 'jsonpath={.spec.clusterIP}')
    const api = `http://${address}:8080`
    async function call(method: string, path: string, body?: object): Promise<Document> {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const answer = await fetch(`${api}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      expect(answer.ok, `${method} ${path}: ${answer.status}`).toBe(true)
      return ((await answer.json()) as Document).data
    }
    // A pod that ends while it answers is not what these questions are about.
    const statusOf = (botId: string) => call('GET', `/v2/bots/${botId}`).then(({ status }) => status as string, String)

    const meetings = [await host('open'), await host('open')]
    const bots: string[] = []
    for (const [index, { url }] of meetings.entries()) {
      const recordingMode = index === 0 ? 'speaker_view' : 'audio_only'
      const body = { meeting_url: url, bot_name: 'Notes', recording_mode: recordingMode }
      bots.push((await call('POST', '/v2/bots', body)).bot_id)
    }
    say('two bots created')
    for (const [index, { number }] of meetings.entries()) {
      await expect.poll(() => statusOf(bots[index]!), LONG).toBe('in_waiting_room')
      await host(`${number}/admit`)
      await expect.poll(() => statusOf(bots[index]!), LONG).toBe('in_call_recording')
      await expect.poll(async () => (await host(`${number}`)).isConnected, LONG).toBe(true)
      await host(`${number}/speak`)
    }
    const placesBefore = await placesOfBots()
    expect(placesBefore).toHaveLength(2)
    say(`both record: ${placesBefore.join(', ')}`)

    const watch = watchApi(api)
    for (const deployment of DEPLOYMENTS) {
      await standin('rollout', 'restart', deployment)
      await rolledOut(deployment)
      say(`${deployment} updated`)
    }
    say(`API during the updates: ${JSON.stringify(watch.counts)}`)

    const draining = spawn(programOf('kubectl'), [
      ...['drain', DRAINED_NODE, '--ignore-daemonsets', '--delete-emptydir-data', '--timeout', '15m'],
    ])
    closing.push(() => kubectl('uncordon', DRAINED_NODE))
    let drainSays = ''
    for (const out of [draining.stdout, draining.stderr])
      out.on('data', (text) => {
        drainSays += text
      })
    const drainEnded = once(draining, 'exit')
    const leftThere = async () => (await podsOf()).filter(({ spec }) => spec.nodeName === DRAINED_NODE).length
    say(`draining ${DRAINED_NODE}, which has ${await leftThere()} pods of the service`)
    await expect.poll(leftThere, LONG).toBe(0)
    await rolledOut(...DEPLOYMENTS)
    say(`the pods of the service run elsewhere; API: ${JSON.stringify(watch.counts)}`)
    await watch.end()
    // The budget holds bots back, so the drain waits for their meetings.
    const botsThere = placesBefore.filter((place) => place.endsWith(DRAINED_NODE)).length
    if (botsThere > 0) expect(draining.exitCode, drainSays).toBeNull()
    expect(await placesOfBots()).toEqual(placesBefore)
    for (const botId of bots) expect(await statusOf(botId)).toBe('in_call_recording')

    for (const { number } of meetings) {
      await host(`${number}/silence`)
      await passes(2)
      await host(`${number}/end`)
    }
    for (const botId of bots) await expect.poll(() => statusOf(botId), LONG).toBe('completed')
    say('both bots completed')
    expect((await drainEnded)[0], drainSays).toBe(0)
    say(`the drain ended by itself, after ${botsThere} bots of the node`)
    await expect.poll(placesOfBots, LONG).toEqual([])

    await expectMessages(receiver.received, bots)
    // As docs/kubernetes.md says: the public address of one node.
    const forwarding = spawn(programOf('kubectl'), ['-n', 'standin', 'port-forward', 'service/standin-api', '8080'])
    closing.push(() => forwarding.kill())
    await once(forwarding.stdout, 'data')
    for (const [index, botId] of bots.entries()) {
      const { video, audio } = await call('GET', `/v2/bots/${botId}`)
      const { truth } = await host(`${meetings[index]!.number}`)
      const seconds = (truth.leftAt! - truth.admittedAt!) / 1000
      const link = (video ?? audio) as string
      const recorded = await durationOf(link)
      say(
        `bot ${index + 1}: ${seconds.toFixed(1)} s in the meeting, ${recorded.toFixed(1)} s play (${new URL(link).origin})`,
      )
      expect(Math.abs(recorded - seconds)).toBeLessThan(6)
      expect(JSON.stringify(await call('GET', `/v2/bots/${botId}/timeline`))).not.toContain('Attempt 2')
    }
  },
  1_500_000,
)

async function podsOf(): Promise<Document[]> {
  return JSON.parse(await standin('get', 'pods', '-l', 'app.kubernetes.io/name=standin', '-o', 'json')).items
}

async function placesOfBots(): Promise<string[]> {
  const { items } = JSON.parse(await kubectl('-n', 'standin-bots', 'get', 'pods', '-o', 'json'))
  return items.map(({ metadata, spec }: Document) => `${metadata.name} on ${spec.nodeName}`)
}

/** Each message came once, in the order in which it happened, and the last one is the end. */
async function expectMessages(received: readonly Received[], bots: readonly string[]): Promise<void> {
  const messagesOf = (botId: string) => received.filter(({ body }) => body.data?.bot_id === botId)
  for (const botId of bots) {
    await expect.poll(() => messagesOf(botId).at(-1)?.body.event, LONG).toBe('bot.completed')
    const messages = messagesOf(botId)
    say(`webhooks: ${messages.map(({ body }) => body.data.status?.code ?? body.event).join(' ')}`)
    const happened = messages.map(({ headers }) => Number(headers['webhook-timestamp']))
    expect(happened).toEqual([...happened].sort((a, b) => a - b))
  }
  const ids = received.map(({ headers }) => headers['webhook-id'])
  expect(new Set(ids).size).toBe(ids.length)
}

/** Decodes the whole file, as its link gives it. */
async function durationOf(link: string): Promise<number> {
  const { stderr } = await promisify(execFile)('ffmpeg', ['-v', 'error', '-i', link, '-f', 'null', '-'])
  expect(stderr).toBe('')
  return Number(await run('ffprobe', '-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', link))
}
