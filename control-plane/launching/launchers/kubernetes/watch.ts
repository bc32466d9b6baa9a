/**
 * A copy of the cluster's objects of one kind of this installation: a full list each minute, and the watch in between.
 * It is a hint that saves requests, never evidence: a watch may fall silent without an error.
 */
import { createInterface } from 'node:readline'
import { startLoop } from '@standin/wire/time/loop.ts'
import type { Log } from '../../../platform/ports.ts'
import { type Cluster, openStream, sentenceOf } from './cluster.ts'

/** A watch is ended by the server after this time, and the next full list follows. */
const LIST_EVERY_SECONDS = 60
/** A connection that is still there then is broken. */
const SILENCE_MS = (LIST_EVERY_SECONDS + 15) * 1000
const RETRY_MS = { first: 500, max: 15_000, jitter: 0.4 }
const PAGE = 500

interface WatchEvent<T> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  object: T & { message?: string }
}

interface Page<T> {
  items: T[]
  metadata?: { _continue?: string; resourceVersion?: string }
}

export interface WatchedKind<T, F> {
  /** Such as `/api/v1/namespaces/bots/pods`. */
  path: string
  labelSelector: string
  list(query: { labelSelector: string; limit: number; _continue?: string }): Promise<Page<T>>
  /** Null for an object that is not a bot's. */
  factsOf(object: T): F | null
}

export interface Book<F> {
  /** Whether the watch is connected, so that the copy is current. */
  isConnected(): boolean
  all(): Iterable<F>
  of(bot: string): F[]
  /** Facts that this process knows from its own requests before the watch reports them. */
  put(facts: F): void
  drop(bot: string): void
}

/** Every object of the kind, page by page. */
export async function listAll<T, F>({ labelSelector, list, factsOf }: WatchedKind<T, F>) {
  const facts: F[] = []
  let _continue: string | undefined
  let resourceVersion = ''
  do {
    const page = await list({ labelSelector, limit: PAGE, ...(_continue && { _continue }) })
    facts.push(...page.items.flatMap((item) => factsOf(item) ?? []))
    resourceVersion = page.metadata?.resourceVersion ?? resourceVersion
    _continue = page.metadata?._continue
  } while (_continue)
  return { facts, resourceVersion }
}

/** Resolves when the first list is read; rejects if that fails. Runs until the signal aborts. */
export async function openBook<T, F extends { bot: string; name: string }>(
  cluster: Cluster,
  kind: WatchedKind<T, F>,
  log: Log,
  signal: AbortSignal,
): Promise<Book<F>> {
  const byBot = new Map<string, Map<string, F>>()
  let isConnected = true

  function put(facts: F): void {
    const ofBot = byBot.get(facts.bot) ?? new Map<string, F>()
    ofBot.set(facts.name, facts)
    byBot.set(facts.bot, ofBot)
  }

  function remove({ bot, name }: F): void {
    byBot.get(bot)?.delete(name)
    if (byBot.get(bot)?.size === 0) byBot.delete(bot)
  }

  async function read(): Promise<string> {
    const { facts, resourceVersion } = await listAll(kind)
    byBot.clear()
    for (const each of facts) put(each)
    isConnected = true
    return resourceVersion
  }

  /** Resolves when the server ends the watch; rejects if it breaks, or where the server no longer knows the version. */
  async function follow(resourceVersion: string): Promise<void> {
    const query = { labelSelector: kind.labelSelector, resourceVersion, timeoutSeconds: LIST_EVERY_SECONDS }
    const limits = AbortSignal.any([signal, AbortSignal.timeout(SILENCE_MS)])
    const lines = await openStream(cluster, kind.path, { ...query, watch: true }, limits)
    const reader = createInterface({ input: lines })
    // The reader does not report errors of its input.
    lines.on('error', () => reader.close())
    for await (const line of reader) onWatchEvent(JSON.parse(line) as WatchEvent<T>)
    if (lines.errored) throw lines.errored
  }

  function onWatchEvent({ type, object }: WatchEvent<T>): void {
    if (type === 'ERROR') throw new Error(object.message ?? 'the server ended the watch')
    const facts = type === 'BOOKMARK' ? null : kind.factsOf(object)
    if (facts === null) return
    if (type === 'DELETED') remove(facts)
    else put(facts)
  }

  let version: string | null = await read()

  async function listAndFollow(): Promise<number> {
    const startedAt = performance.now()
    const listed = version
    version = null
    await follow(listed ?? (await read()))
    // A server that ends each watch at once is not asked without a pause.
    if (performance.now() - startedAt < RETRY_MS.first) throw new Error('the server ended the watch at once')
    return 0
  }

  startLoop(listAndFollow, {
    onError(error) {
      if (isConnected && !signal.aborted)
        log.warn({ path: kind.path, error: sentenceOf(error) }, 'The watch of bots in the cluster failed')
      isConnected = false
    },
    afterErrorMs: RETRY_MS,
    signal,
  })
  return {
    isConnected: () => isConnected,
    *all() {
      for (const ofBot of byBot.values()) yield* ofBot.values()
    },
    of: (bot) => [...(byBot.get(bot)?.values() ?? [])],
    put,
    drop: (bot) => void byBot.delete(bot),
  }
}
