/**
 * The few calls of a Kubernetes API server that the launcher makes, with a Job controller, a scheduler and one node behind
 * them. Bots are processes, so logs, signals and exit codes are real. It does what clusters of version 1.20 do where later
 * ones are kinder: a Job whose pod is removed gets another one at once.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { FakeNode } from './fake-node.ts'

export interface FakeObject {
  metadata: {
    name: string
    labels: Record<string, string>
    annotations?: Record<string, string>
    finalizers?: string[]
    creationTimestamp: string
    resourceVersion: string
    deletionTimestamp?: string
    deletionGracePeriodSeconds?: number
    ownerJob?: string
  }
  // biome-ignore lint/suspicious/noExplicitAny: objects of the API, as they come
  spec: any
  // biome-ignore lint/suspicious/noExplicitAny: objects of the API, as they come
  status: any
}

type Kind = 'jobs' | 'pods'
interface Change {
  version: number
  kind: Kind
  type: 'ADDED' | 'MODIFIED' | 'DELETED'
  object: FakeObject
}

/** Refused as the API server does it. */
class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const PATH =
  /^\/(?:api\/v1|apis\/batch\/v1)\/namespaces\/(?<namespace>[^/]+)\/(?<kind>jobs|pods|events)(?:\/(?<name>[^/]+)(?<log>\/log)?)?$/
const PAGE_MOST = 500

export class FakeCluster {
  readonly namespace = 'bots'
  /** Jobs that the quota of the namespace allows. */
  jobQuota = Number.POSITIVE_INFINITY
  /** Pods that the quota of the namespace allows. */
  podQuota = Number.POSITIVE_INFINITY
  /** Pods that the node takes; others are unschedulable. */
  nodeRoom = Number.POSITIVE_INFINITY
  /** `verb resource` that the service's account may not do. */
  readonly forbidden = new Set<string>()
  readonly requests: string[] = []
  /** A page of a list has no more than this. */
  pageSize = PAGE_MOST
  readonly #objects = { jobs: new Map<string, FakeObject>(), pods: new Map<string, FakeObject>() }
  readonly #changes: Change[] = []
  /** Jobs whose pods the quota forbids, and what their events say. */
  readonly #blocked = new Map<string, string>()
  readonly #watches = new Set<{ kind: Kind; selector: Record<string, string>; response: ServerResponse }>()
  readonly #node: FakeNode
  readonly #server = createServer((request, response) => void this.#serve(request, response))
  #version = 1
  #oldest = 0

  private constructor(program: readonly string[]) {
    this.#node = new FakeNode(program, {
      changed: (pod) => this.#changed('pods', pod),
      removed: (pod) => this.#letGo('pods', pod),
    })
  }

  /** `program` runs in place of the image. */
  static async start(program: readonly string[]): Promise<FakeCluster> {
    const cluster = new FakeCluster(program)
    await new Promise<void>((resolve) => cluster.#server.listen(0, '127.0.0.1', resolve))
    return cluster
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get pods(): FakeObject[] {
    return [...this.#objects.pods.values()]
  }

  get jobs(): FakeObject[] {
    return [...this.#objects.jobs.values()]
  }

  logOf(pod: string): string {
    return this.#node.logOf(pod)
  }

  /** Forgets the events of earlier watches and ends the open ones: their versions are too old. */
  compact(): void {
    this.#oldest = this.#version
    const gone = { type: 'ERROR', object: statusOf(410, 'too old resource version') }
    for (const { response } of this.#watches) response.end(`${JSON.stringify(gone)}\n`)
    this.#watches.clear()
  }

  /** As when a person drains the node, or an autoscaler empties it. */
  evict(pod: string): void {
    this.#remove('pods', this.#objects.pods.get(pod)!, undefined)
  }

  /** The node stops reporting, and keeps running its pods. */
  silenceNode(): void {
    this.#node.isSilent = true
    for (const pod of this.pods) {
      if (pod.status.phase !== 'Running') continue
      const conditions = [
        { type: 'Ready', status: 'False' },
        { type: 'ContainersReady', status: 'True' },
      ]
      pod.status = { ...pod.status, conditions }
      this.#changed('pods', pod)
    }
  }

  /** The node is removed from the cluster, and with it its pods, by force. */
  removeNode(): void {
    this.#node.isSilent = true
    this.nodeRoom = 0
    for (const pod of this.pods) if (pod.spec.nodeName !== undefined) this.#remove('pods', pod, 0)
  }

  async close(): Promise<void> {
    await this.#node.close()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const url = new URL(request.url!, 'http://cluster')
    try {
      const text = Buffer.concat(chunks).toString()
      const answer = this.#answer(request, url, text === '' ? null : JSON.parse(text), response)
      if (answer === null) return
      response.writeHead(request.method === 'POST' ? 201 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer))
    } catch (error) {
      const status = error instanceof Refusal ? error.status : 500
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(statusOf(status, (error as Error).message)))
    }
  }

  /** Null: the answer is being written. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies of the API, as they come
  #answer({ method, headers }: IncomingMessage, url: URL, body: any, response: ServerResponse): object | null {
    const { namespace, kind: kindText, name, log } = PATH.exec(url.pathname)?.groups ?? {}
    if (kindText === undefined || namespace !== this.namespace) throw new Refusal(404, 'the server could not find it')
    const kind = kindText as Kind
    const isWatch = url.searchParams.get('watch') === 'true'
    const verb =
      { POST: 'create', PATCH: 'patch', DELETE: 'delete' }[method!] ?? (isWatch ? 'watch' : name ? 'get' : 'list')
    const resource = log ? 'pods/log' : kind
    this.requests.push(`${verb} ${resource}`)
    if (this.forbidden.has(`${verb} ${resource}`))
      throw new Refusal(403, `${resource} is forbidden: User "service" cannot ${verb} resource "${resource}"`)
    if (kindText === 'events')
      return { items: this.#eventsOf(parseSelector(url.searchParams.get('fieldSelector') ?? '')) }
    const selector = parseSelector(url.searchParams.get('labelSelector') ?? '')
    if (isWatch) return this.#watch(kind, selector, Number(url.searchParams.get('resourceVersion')), response)
    if (method === 'POST') return this.#create(body)
    if (name === undefined) return this.#list(kind, selector, url.searchParams)
    const object = this.#objects[kind].get(name)
    if (object === undefined) throw new Refusal(404, `${kind} "${name}" not found`)
    if (log) {
      this.#node.sendLog(object, url.searchParams.get('follow') === 'true', response)
      return null
    }
    if (method === 'PATCH') return this.#patch(kind, object, body, headers['content-type']!)
    if (method === 'DELETE') {
      const grace = body?.gracePeriodSeconds ?? url.searchParams.get('gracePeriodSeconds')
      if (kind === 'jobs') this.#removeJob(object)
      else this.#remove('pods', object, grace === undefined || grace === null ? undefined : Number(grace))
    }
    return object
  }

  #eventsOf(selector: Record<string, string>): object[] {
    const message = this.#blocked.get(selector['involvedObject.name'] ?? '')
    return message === undefined ? [] : [{ message, reason: 'FailedCreate', lastTimestamp: new Date().toISOString() }]
  }

  #list(kind: Kind, selector: Record<string, string>, query: URLSearchParams): object {
    const all = [...this.#objects[kind].values()].filter((object) => matches(object, selector))
    const from = Number(query.get('continue') ?? 0)
    const to = from + Math.min(this.pageSize, Number(query.get('limit') ?? PAGE_MOST))
    const more = to < all.length ? { continue: String(to) } : {}
    return { metadata: { resourceVersion: String(this.#version), ...more }, items: all.slice(from, to) }
  }

  #watch(kind: Kind, selector: Record<string, string>, since: number, response: ServerResponse): null {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
    if (since < this.#oldest) {
      response.end(`${JSON.stringify({ type: 'ERROR', object: statusOf(410, 'too old resource version') })}\n`)
      return null
    }
    for (const change of this.#changes) {
      if (change.version > since && change.kind === kind && matches(change.object, selector))
        response.write(`${JSON.stringify({ type: change.type, object: change.object })}\n`)
    }
    const watch = { kind, selector, response }
    this.#watches.add(watch)
    response.on('close', () => this.#watches.delete(watch))
    return null
  }

  #create(job: FakeObject): FakeObject {
    const { name } = job.metadata
    if (this.#objects.jobs.has(name)) throw new Refusal(409, `jobs.batch "${name}" already exists`)
    if (this.#objects.jobs.size >= this.jobQuota)
      throw new Refusal(403, `jobs.batch "${name}" is forbidden: exceeded quota: bots, requested: count/jobs.batch=1`)
    if (job.spec.template.spec.containers[0].image === '')
      throw new Refusal(422, `Job.batch "${name}" is invalid: spec.template.spec.containers[0].image: Required value`)
    this.#add('jobs', { ...job, metadata: { ...job.metadata, ...fresh() }, status: {} })
    this.#control()
    return this.#objects.jobs.get(name)!
  }

  #add(kind: Kind, object: FakeObject): void {
    this.#objects[kind].set(object.metadata.name, object)
    this.#record('ADDED', kind, object)
  }

  #changed(kind: Kind, object: FakeObject): void {
    if (!this.#objects[kind].has(object.metadata.name)) return
    this.#record('MODIFIED', kind, object)
    if (kind === 'pods') this.#control()
  }

  #record(type: Change['type'], kind: Kind, object: FakeObject): void {
    this.#version += 1
    object.metadata.resourceVersion = String(this.#version)
    const change = { version: this.#version, type, kind, object: structuredClone(object) }
    this.#changes.push(change)
    for (const watch of this.#watches) {
      if (watch.kind === kind && matches(object, watch.selector))
        watch.response.write(`${JSON.stringify({ type, object: change.object })}\n`)
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: bodies of the API, as they come
  #patch(kind: Kind, object: FakeObject, body: any, type: string): FakeObject {
    const copy = structuredClone(object)
    if (type.startsWith('application/json-patch+json')) for (const step of body) applyStep(copy, step)
    else if (type.startsWith('application/merge-patch+json')) merge(copy, body)
    else throw new Refusal(415, `the body of the request was in an unknown format: ${type}`)
    Object.assign(object, copy)
    this.#record('MODIFIED', kind, object)
    const { deletionTimestamp, finalizers = [], deletionGracePeriodSeconds } = object.metadata
    if (deletionTimestamp !== undefined && finalizers.length === 0 && deletionGracePeriodSeconds === 0)
      this.#drop(kind, object)
    this.#control()
    return object
  }

  #removeJob(job: FakeObject): void {
    this.#drop('jobs', job)
    for (const pod of this.pods) if (pod.metadata.ownerJob === job.metadata.name) this.#remove('pods', pod, undefined)
  }

  #remove(kind: 'pods', pod: FakeObject, graceSeconds: number | undefined): void {
    const isOver = pod.spec.nodeName === undefined || ['Succeeded', 'Failed'].includes(pod.status.phase)
    const grace = isOver ? 0 : (graceSeconds ?? pod.spec.terminationGracePeriodSeconds)
    const known = pod.metadata.deletionGracePeriodSeconds
    if (known !== undefined && known <= grace) return
    pod.metadata.deletionTimestamp ??= new Date(Date.now() + grace * 1000).toISOString()
    pod.metadata.deletionGracePeriodSeconds = grace
    this.#changed(kind, pod)
    if (grace === 0) this.#letGo(kind, pod)
    else this.#node.end(pod, grace)
  }

  /** Removes the pod, unless it has a finalizer. */
  #letGo(kind: 'pods', pod: FakeObject): void {
    if ((pod.metadata.finalizers ?? []).length === 0) this.#drop(kind, pod)
  }

  #drop(kind: Kind, object: FakeObject): void {
    if (this.#objects[kind].delete(object.metadata.name)) this.#record('DELETED', kind, object)
  }

  /** The Job controller and the scheduler. */
  #control(): void {
    for (const job of this.jobs) this.#controlJob(job)
    for (const pod of this.pods) {
      if (pod.spec.nodeName !== undefined || pod.metadata.deletionTimestamp !== undefined) continue
      const running = this.pods.filter(
        ({ spec, status }) => spec.nodeName && !['Succeeded', 'Failed'].includes(status.phase),
      )
      if (running.length < this.nodeRoom) {
        pod.spec.nodeName = 'node-1'
        pod.status = { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'True' }] }
        this.#record('MODIFIED', 'pods', pod)
        this.#node.run(pod)
      } else if (pod.status.conditions === undefined) {
        const message = '0/1 nodes are available: 1 Insufficient cpu.'
        pod.status.conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }]
        this.#record('MODIFIED', 'pods', pod)
      }
    }
  }

  /** A place on the node or in the quota has become free, or is gone. */
  reschedule(): void {
    this.#control()
  }

  #controlJob(job: FakeObject): void {
    const own = this.pods.filter(({ metadata }) => metadata.ownerJob === job.metadata.name)
    const ended = own.find(({ status }) => ['Succeeded', 'Failed'].includes(status.phase))
    const active = own.filter(
      ({ status, metadata }) => ['Pending', 'Running'].includes(status.phase) && !metadata.deletionTimestamp,
    )
    if (job.status.conditions !== undefined) return
    if (ended !== undefined) {
      const isFine = ended.status.phase === 'Succeeded'
      const reason = isFine
        ? {}
        : { reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' }
      job.status = { conditions: [{ type: isFine ? 'Complete' : 'Failed', status: 'True', ...reason }] }
      this.#record('MODIFIED', 'jobs', job)
      return
    }
    if (job.spec.parallelism === 0) for (const pod of active) this.#remove('pods', pod, undefined)
    if (job.spec.parallelism === 0 || active.length > 0) return
    if (this.#objects.pods.size >= this.podQuota) {
      this.#blocked.set(job.metadata.name, `Error creating: pods is forbidden: exceeded quota: bots, requested: pods=1`)
      return
    }
    const { metadata, spec } = job.spec.template
    const name = `${job.metadata.name}-${randomUUID().slice(0, 5)}`
    const pod = structuredClone({ metadata: { ...metadata, name, ownerJob: job.metadata.name, ...fresh() }, spec })
    this.#add('pods', { ...pod, status: { phase: 'Pending' } })
  }
}

const fresh = () => ({ creationTimestamp: new Date().toISOString(), resourceVersion: '0', uid: randomUUID() })

const statusOf = (code: number, message: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  code,
  message,
})

function parseSelector(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .split(',')
      .filter(Boolean)
      .map((part) => part.split('=')),
  )
}

function matches({ metadata: { labels } }: FakeObject, selector: Record<string, string>): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value)
}

// biome-ignore lint/suspicious/noExplicitAny: any part of an object
function applyStep(object: any, { op, path, value }: { op: string; path: string; value?: unknown }): void {
  const keys = path.slice(1).split('/')
  const last = keys.pop()!
  const parent = keys.reduce((part, key) => part?.[key], object)
  if (op === 'test') {
    if (parent?.[last] !== value)
      throw new Refusal(422, `the server rejected our request: testing value ${path} failed`)
  } else if (op === 'remove') parent.splice(Number(last), 1)
  else parent[last] = value
}

// biome-ignore lint/suspicious/noExplicitAny: any part of an object
function merge(object: any, patch: any): void {
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete object[key]
    else if (typeof value === 'object' && !Array.isArray(value)) {
      object[key] ??= {}
      merge(object[key], value)
    } else object[key] = value
  }
}
