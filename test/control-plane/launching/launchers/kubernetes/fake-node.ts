/** The node of the fake cluster: it runs the containers of its pods as processes, and watches over their memory. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import type { FakeObject } from './fake-cluster.ts'

/** An image of this name cannot be pulled. */
export const MISSING_IMAGE = 'standin-no-such-image'
const MEMORY_EVERY_MS = 10

interface Running {
  process: ChildProcess
  log: Buffer[]
  readers: Set<ServerResponse>
  isOutOfMemory: boolean
  kill: NodeJS.Timeout | null
}

interface ToCluster {
  changed(pod: FakeObject): void
  /** The pod was asked to end, and has ended. */
  removed(pod: FakeObject): void
}

export class FakeNode {
  /** The node does not report any more. */
  isSilent = false
  readonly #program: readonly string[]
  readonly #cluster: ToCluster
  readonly #running = new Map<string, Running>()

  constructor(program: readonly string[], cluster: ToCluster) {
    this.#program = program
    this.#cluster = cluster
  }

  run(pod: FakeObject): void {
    const [container] = pod.spec.containers
    if (container.image === MISSING_IMAGE) {
      const waiting = { reason: 'ErrImageNeverPull', message: `Container image "${MISSING_IMAGE}" is not present` }
      this.#say(pod, 'Pending', { waiting })
      return
    }
    const env = Object.fromEntries(
      container.env.map(({ name, value }: { name: string; value: string }) => [name, value]),
    )
    const [command, ...rest] = this.#program
    const process = spawn(command!, [...rest, ...container.args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    const running: Running = { process, log: [], readers: new Set(), isOutOfMemory: false, kill: null }
    this.#running.set(pod.metadata.name, running)
    const onOutput = (chunk: Buffer) => {
      running.log.push(chunk)
      for (const reader of running.readers) reader.write(chunk)
    }
    process.stdout!.on('data', onOutput)
    process.stderr!.on('data', onOutput)
    const watch = setInterval(() => this.#weigh(running, Number(container.resources.limits.memory)), MEMORY_EVERY_MS)
    this.#say(pod, 'Running', { running: { startedAt: new Date().toISOString() } })
    process.on('close', (code, signal) => {
      clearInterval(watch)
      if (running.kill) clearTimeout(running.kill)
      for (const reader of running.readers) reader.end()
      const exitCode = code ?? 128 + (signal === 'SIGTERM' ? 15 : 9)
      const reason = running.isOutOfMemory ? 'OOMKilled' : exitCode === 0 ? 'Completed' : 'Error'
      const terminated = { exitCode, reason, finishedAt: new Date().toISOString() }
      this.#say(pod, exitCode === 0 ? 'Succeeded' : 'Failed', { terminated })
      if (pod.metadata.deletionTimestamp !== undefined && !this.isSilent) this.#cluster.removed(pod)
    })
  }

  end(pod: FakeObject, graceSeconds: number): void {
    if (this.isSilent) return
    const running = this.#running.get(pod.metadata.name)
    if (running === undefined) {
      // Its container was never made.
      pod.metadata.deletionGracePeriodSeconds = 0
      this.#cluster.changed(pod)
      this.#cluster.removed(pod)
      return
    }
    running.process.kill('SIGTERM')
    if (running.kill) clearTimeout(running.kill)
    running.kill = setTimeout(() => running.process.kill('SIGKILL'), graceSeconds * 1000)
  }

  logOf(pod: string): string {
    return Buffer.concat(this.#running.get(pod)?.log ?? []).toString()
  }

  sendLog(pod: FakeObject, follows: boolean, response: ServerResponse): void {
    const running = this.#running.get(pod.metadata.name)
    // A real node removes the log with the container of a pod that is being deleted.
    const isGone = running?.process.exitCode !== null && pod.metadata.deletionTimestamp !== undefined
    if (running === undefined || isGone) {
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ kind: 'Status', code: 400, message: 'unable to retrieve container logs' }))
      return
    }
    response.writeHead(200, { 'content-type': 'text/plain' })
    for (const chunk of running.log) response.write(chunk)
    if (!follows || running.process.exitCode !== null || running.process.signalCode !== null) response.end()
    else running.readers.add(response)
  }

  async close(): Promise<void> {
    const left = [...this.#running.values()].filter(
      ({ process }) => process.exitCode === null && process.signalCode === null,
    )
    await Promise.all(
      left.map(({ process, kill }) => {
        if (kill) clearTimeout(kill)
        const closed = new Promise((resolve) => process.on('close', resolve))
        process.kill('SIGKILL')
        return closed
      }),
    )
  }

  #say(pod: FakeObject, phase: string, state: object): void {
    if (this.isSilent) return
    const isReady = phase === 'Running' ? 'True' : 'False'
    pod.status = {
      phase,
      conditions: [
        { type: 'PodScheduled', status: 'True' },
        { type: 'Ready', status: isReady },
        { type: 'ContainersReady', status: isReady },
      ],
      containerStatuses: [{ name: pod.spec.containers[0].name, state }],
    }
    this.#cluster.changed(pod)
  }

  #weigh(running: Running, limit: number): void {
    let pages: number
    try {
      pages = Number(readFileSync(`/proc/${running.process.pid}/statm`, 'utf8').split(' ')[1])
    } catch {
      return
    }
    if (pages * 4096 <= limit || running.isOutOfMemory) return
    running.isOutOfMemory = true
    running.process.kill('SIGKILL')
  }
}
