/** The connection to the API server of a Kubernetes cluster, and what its errors mean. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  ApiException,
  BatchV1Api,
  CoreV1Api,
  createConfiguration,
  HttpMethod,
  KubeConfig,
  RequestContext,
  ServerConfiguration,
} from '@kubernetes/client-node'
import { fetch } from 'undici'
import { Tail } from '../shared/log-tail.ts'
import { CONTAINER } from './job.ts'

/** Limit for one answer. A loaded API server takes seconds; one that is silent for longer is away. */
const ANSWER_MS = 30_000
/** More than 64 KiB in most logs; the cluster knows lines only. */
const LOG_LINES = 5_000

export interface Cluster {
  config: KubeConfig
  batch: BatchV1Api
  core: CoreV1Api
}

/** Reads the configuration of this process in its pod, or the file that `KUBECONFIG` names. Throws a sentence if there is neither. */
export function readKubeConfig(environment: Readonly<Record<string, string | undefined>>): KubeConfig {
  const config = new KubeConfig()
  const file = environment.KUBECONFIG
  try {
    if (file) config.loadFromFile(file)
    else if (environment.KUBERNETES_SERVICE_HOST) config.loadFromCluster()
  } catch (error) {
    throw new Error(`The Kubernetes cluster cannot be used: ${sentenceOf(error)}`, { cause: error })
  }
  if (config.getCurrentCluster() === null)
    throw new Error(
      'The Kubernetes cluster is not known: run the service in it with a service account, or let KUBECONFIG name a file ' +
        'whose current context is the cluster',
    )
  return config
}

/** The namespace of the context; in a pod its own. */
export function ownNamespace(config: KubeConfig): string {
  return config.getContextObject(config.getCurrentContext())?.namespace ?? 'default'
}

export function connectCluster(config: KubeConfig): Cluster {
  const configuration = createConfiguration({
    baseServer: new ServerConfiguration(config.getCurrentCluster()!.server, {}),
    authMethods: { default: config },
    promiseMiddleware: [
      {
        async pre(request) {
          request.setSignal(AbortSignal.timeout(ANSWER_MS))
          return request
        },
        post: async (response) => response,
      },
    ],
  })
  return { config, batch: new BatchV1Api(configuration), core: new CoreV1Api(configuration) }
}

/**
 * A streamed answer, for logs and watches. The client's own classes for these raise errors that no caller can catch, or
 * end a quiet watch after 30 seconds. Rejects if the status is not 200.
 */
export async function openStream(
  { config }: Cluster,
  path: string,
  query: Readonly<Record<string, string | number | boolean>>,
  signal: AbortSignal,
): Promise<Readable> {
  const url = new URL(config.getCurrentCluster()!.server + path)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
  const request = new RequestContext(url.href, HttpMethod.GET)
  await config.applySecurityAuthentication(request)
  const dispatcher = request.getDispatcher()
  const answer = await fetch(url, { headers: request.getHeaders(), ...(dispatcher && { dispatcher }), signal })
  if (answer.status === 200 && answer.body !== null) return Readable.fromWeb(answer.body)
  throw new ApiException(answer.status, 'refused', await answer.text(), {})
}

/**
 * The end of a pod's log, both outputs in their order, as far as it can be read within the time. `onOpen` is called when
 * the cluster begins to send it. Null if there is no log.
 */
export async function readLog(
  cluster: Cluster,
  pod: { namespace: string; name: string },
  { follows, patienceMs, onOpen }: { follows: boolean; patienceMs: number; onOpen?: () => void },
): Promise<string | null> {
  const tail = new Tail()
  try {
    const signal = AbortSignal.timeout(patienceMs)
    const path = `/api/v1/namespaces/${pod.namespace}/pods/${pod.name}/log`
    const query = { container: CONTAINER, tailLines: LOG_LINES, follow: follows }
    const text = await openStream(cluster, path, query, signal)
    onOpen?.()
    await pipeline(text, tail.sink(), { signal })
  } catch {
    // The exit code is worth more than its text.
    onOpen?.()
    if (tail.text() === '') return null
  }
  return tail.text()
}

/** The HTTP status of the API server's answer; null if there was none. */
export function statusOf(error: unknown): number | null {
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown }
  if (typeof code === 'number' && code >= 300) return code
  return typeof statusCode === 'number' ? statusCode : null
}

/** Whether the request cannot have reached the API server, or was turned away before anything was done. */
export function wasNotDone(error: unknown): boolean {
  const status = statusOf(error)
  if (status !== null) return status === 429 || status === 503
  const { code } = causeOf(error) as { code?: unknown }
  return ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'].includes(
    String(code),
  )
}

/** The quota of the namespace is used up; a place becomes free when another bot ends. */
export function isQuota(error: unknown): boolean {
  return statusOf(error) === 403 && /exceeded quota/i.test(sentenceOf(error))
}

/** The API server's own words, without the envelope of its answer. */
export function sentenceOf(error: unknown): string {
  const { body, statusCode } = error as { body?: unknown; statusCode?: unknown }
  const said = messageIn(body)
  const status = statusOf(error)
  const { message, code } = causeOf(error) as { message?: string; code?: unknown }
  const text = said ?? (status !== null && statusCode === undefined ? `status ${status}` : message || String(code))
  return text.replace(/\s+/g, ' ').trim().replace(/\.$/, '').slice(0, 500)
}

function messageIn(body: unknown): string | null {
  let parsed = body
  if (typeof body === 'string') {
    try {
      parsed = JSON.parse(body)
    } catch {
      return body.trim() === '' ? null : body
    }
  }
  const { message } = (parsed ?? {}) as { message?: unknown }
  return typeof message === 'string' && message !== '' ? message : null
}

/** `fetch` hides the reason in its error's cause, if several addresses were tried in a list of causes. */
function causeOf(error: unknown): object {
  const { cause } = error as { cause?: unknown }
  const inner = (cause ?? error) as { errors?: unknown[] }
  return (inner.errors?.[0] ?? inner) as object
}
