/** The evidence of the Kubernetes launcher from Jobs and pods, as clusters of several versions describe them. */
import { randomUUID } from 'node:crypto'
import { botPod, NO_POD, stateOf, waitReason } from '@standin/control-plane/launching/launchers/kubernetes/evidence.ts'
import { jobFacts, podFacts } from '@standin/control-plane/launching/launchers/kubernetes/facts.ts'
import { placeOf } from '@standin/control-plane/launching/launchers/shared/bot-name.ts'
import { expect, test } from 'vitest'

const BOT = randomUUID()
const NAME = `standin-${BOT}-2`
const NOW = Date.parse('2026-11-26T10:00:00Z')
const before = (ms: number) => new Date(NOW - ms).toISOString()
type Values = Record<string, unknown>

function job(mark: string, values: { conditions?: object[]; ageMs?: number; annotations?: Values } = {}) {
  const { conditions, ageMs = 10_000, annotations = {} } = values
  const creationTimestamp = before(ageMs)
  const metadata = { name: NAME, creationTimestamp, annotations: { 'standin.told': mark, ...annotations } }
  return jobFacts({ metadata, status: { conditions } } as never)!
}

function pod(status: Values, metadata: Values = {}) {
  const labels = { 'standin.bot': BOT, 'standin.attempt': '2' }
  const finalizers = ['standin.bot/evidence']
  return podFacts({
    metadata: { name: 'pod', labels, finalizers, creationTimestamp: before(9_000), ...metadata },
    spec: { nodeName: 'node-1' },
    status: { phase: 'Running', ...status },
  } as never)!
}

const container = (state: Values) => ({ containerStatuses: [{ name: 'bot', state }] })
const terminated = (values: Values) => container({ terminated: { finishedAt: before(1_000), ...values } })
const evidenceOf = (...[of, pods]: [Parameters<typeof stateOf>[0], Parameters<typeof stateOf>[1]]) => {
  const state = stateOf(of, pods, NOW)
  if (state.state !== 'ended') throw new Error(`The bot is ${state.state}`)
  return state.evidence
}

test('a Job without a pod is made, being started, abandoned or over, by what was done with it', () => {
  expect(stateOf(null, [], NOW)).toEqual({ state: 'absent' })
  expect(stateOf(job('made'), [], NOW)).toEqual({ state: 'made' })
  expect(stateOf(job('made', { ageMs: 61_000 }), [], NOW)).toEqual({ state: 'abandoned' })
  expect(stateOf(job('started', { ageMs: 61_000 }), [], NOW)).toEqual({ state: 'running' })
  expect(evidenceOf(job('killed'), [])).toMatchObject({
    signal: 'SIGKILL',
    reason: 'The service killed the bot before it ran',
  })
  const failed = [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message: 'limit' }]
  expect(evidenceOf(job('started', { conditions: failed }), []).reason).toContain('(BackoffLimitExceeded: limit)')
})

test('out of memory is what the cluster says, beside any code', () => {
  const own = terminated({ exitCode: 3, reason: 'OOMKilled' })
  expect(evidenceOf(job('started'), [pod(own)])).toMatchObject({ exitCode: 3, signal: null, isOutOfMemory: true })
  const killed = terminated({ exitCode: 137, reason: 'OOMKilled' })
  expect(evidenceOf(job('killed'), [pod(killed)])).toMatchObject({ signal: 'SIGKILL', isOutOfMemory: true })
  const other = terminated({ exitCode: 137, reason: 'Error' })
  expect(evidenceOf(job('started'), [pod(other)])).toMatchObject({ isOutOfMemory: false, reason: 'The bot was killed' })
})

test('a container that the node has lost has no code, even if the cluster writes one', () => {
  const lost = terminated({ exitCode: 137, reason: 'ContainerStatusUnknown', message: 'could not be located' })
  const evidence = evidenceOf(job('started'), [pod(lost)])
  expect(evidence).toMatchObject({ exitCode: null, signal: null, reason: 'The node lost the container of the bot' })
})

test('an evicted pod says why, with and without the state of its container', () => {
  const words = { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: ephemeral-storage.' }
  const reason = 'Evicted: The node was low on resource: ephemeral-storage'
  expect(evidenceOf(job('started'), [pod(words)]).reason).toBe(`The cluster ended the bot (${reason})`)
  const ended = pod({ ...words, ...terminated({ exitCode: 4, reason: 'Error' }) })
  expect(evidenceOf(job('started'), [ended])).toMatchObject({
    exitCode: 4,
    reason: `The bot ended with code 4 (${reason})`,
  })
})

test('later versions say why they removed a pod, and earlier ones at least that its Job took too long', () => {
  const disruption = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByPodGC', message: 'node not found' }
  const gone = pod(
    { ...container({ running: {} }), conditions: [disruption] },
    { deletionTimestamp: before(0), deletionGracePeriodSeconds: 0 },
  )
  expect(evidenceOf(job('started'), [gone]).reason).toContain('(DeletionByPodGC: node not found)')
  const late = job('started', {
    conditions: [{ type: 'Failed', status: 'True', reason: 'DeadlineExceeded', message: 'x' }],
  })
  const ended = terminated({ exitCode: 4, reason: 'Error' })
  expect(evidenceOf(late, [pod(ended)]).reason).toContain('after the cluster ended its Job (DeadlineExceeded: x)')
})

test('a bot that was asked to end before it had its job did not fail by itself', () => {
  const noJob = terminated({ exitCode: 2, reason: 'Error' })
  expect(evidenceOf(job('stopped'), [pod(noJob)])).toMatchObject({ exitCode: null, signal: null })
  expect(evidenceOf(job('killed'), [pod(noJob)])).toMatchObject({ exitCode: null, signal: 'SIGKILL' })
  expect(evidenceOf(job('started'), [pod(noJob)])).toMatchObject({ exitCode: 2, signal: null })
  // The container's own exit code has priority.
  expect(evidenceOf(job('killed'), [pod(terminated({ exitCode: 4, reason: 'Error' }))])).toMatchObject({ exitCode: 4 })
})

test('the first pod is the bot, and a pod whose evidence was taken is none', () => {
  const first = pod(container({ running: {} }), { name: 'first' })
  const second = pod({}, { name: 'second', creationTimestamp: before(1_000) })
  const sameSecond = pod({}, { name: 'same' })
  expect(botPod([second, sameSecond, first])!.name).toBe('first')
  expect(stateOf(job('started'), [pod(terminated({ exitCode: 0 }), { finalizers: [] })], NOW)).toEqual({
    state: 'running',
  })
})

test('a failed pull is given time, an image that can never be used is not', () => {
  const waiting = (reason: string, ageMs: number) =>
    stateOf(
      job('started'),
      [pod(container({ waiting: { reason, message: 'm' } }), { creationTimestamp: before(ageMs) })],
      NOW,
    ).state
  expect(waiting('ErrImagePull', 10_000)).toBe('running')
  expect(waiting('ImagePullBackOff', 31_000)).toBe('hopeless')
  expect(waiting('InvalidImageName', 1_000)).toBe('hopeless')
  expect(waiting('CreateContainerConfigError', 31_000)).toBe('hopeless')
  expect(waiting('ContainerCreating', 600_000)).toBe('running')
})

test('a bot that waits for the cluster counts after some seconds, and not after it was asked to end', () => {
  expect(waitReason(job('started', { ageMs: 4_000 }), [], NOW)).toBe(null)
  expect(waitReason(job('started', { ageMs: 6_000 }), [], NOW)).toBe(NO_POD)
  expect(waitReason(job('made', { ageMs: 6_000 }), [], NOW)).toBe(null)
  expect(waitReason(job('stopped', { ageMs: 6_000 }), [], NOW)).toBe(null)
  expect(waitReason(job('started'), [pod(container({ running: {} }))], NOW)).toBe(null)
})

test('objects that are not a bot are passed over', () => {
  expect(jobFacts({ metadata: { name: 'backup' } } as never)).toBe(null)
  expect(
    podFacts({ metadata: { name: 'pod', labels: { 'standin.bot': '../x', 'standin.attempt': '1' } } } as never),
  ).toBe(null)
  expect(placeOf(NAME)).toEqual({ botId: BOT, attempt: 2 })
  expect(() => placeOf('standin-x-1')).toThrow('is not the name of a bot')
})
