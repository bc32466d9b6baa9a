/** The connection to a Docker engine, and what its errors mean. */
import Docker from 'dockerode'
import type { Log } from '../../../platform/ports.ts'

/** Limit for one answer. A loaded engine takes seconds to make a container; one that is silent for longer is away. */
const ANSWER_MS = 30_000
/** How long facts about the engine serve. */
const FACTS_SERVE_MS = 60_000
const PULL_MS = 30 * 60_000

interface EngineFacts {
  /** Identifies the engine's own data. */
  id: string
  cores: number
  memoryBytes: number
}

export interface Engine {
  docker: Docker
  /** Rejects if the engine does not answer. */
  facts(): Promise<EngineFacts>
}

/** `host` is that of `DOCKER_HOST`; null: the variable of this process, or the usual socket. */
export function connectEngine(host: string | null): Engine {
  const socketPath = host?.startsWith('unix://') ? host.slice('unix://'.length) : null
  const docker = new Docker({ timeout: ANSWER_MS, ...(socketPath !== null && { socketPath }) })
  let known: { askedAt: number; facts: EngineFacts } | null = null
  return {
    docker,
    async facts() {
      if (known !== null && performance.now() - known.askedAt < FACTS_SERVE_MS) return known.facts
      const { ID, NCPU, MemTotal } = (await docker.info()) as { ID: string; NCPU: number; MemTotal: number }
      known = { askedAt: performance.now(), facts: { id: ID, cores: NCPU, memoryBytes: MemTotal } }
      return known.facts
    },
  }
}

/** Rejects with a sentence if the engine does not answer, or has no such image and may not pull it. */
export async function requireImage({ docker, facts }: Engine, image: string, mayPull: boolean, log: Log) {
  await facts().catch((error: unknown) => {
    throw new Error(
      `The Docker engine cannot be used: ${sentenceOf(error)}. ` +
        'DOCKER_HOST names its socket, which this user has to be allowed to use',
      { cause: error },
    )
  })
  const isThere = await hasImage(docker, image)
  if (isThere) return
  if (!mayPull)
    throw new Error(
      `The Docker engine does not have the image ${image}: build it (docker build -f docker/Dockerfile -t ${image} .), ` +
        'name another with STANDIN_BOT_IMAGE, or allow to pull it with STANDIN_BOT_PULL=missing',
    )
  log.info({ image }, 'Pulling the image of the bots')
  await pull(docker, image).catch((error: unknown) => {
    throw new Error(`The image ${image} could not be pulled: ${sentenceOf(error)}`, { cause: error })
  })
}

async function hasImage(docker: Docker, image: string): Promise<boolean> {
  try {
    await docker.getImage(image).inspect()
    return true
  } catch (error) {
    if (statusOf(error) === 404) return false
    throw error
  }
}

async function pull(docker: Docker, image: string): Promise<void> {
  const tagged = /(?:@|:[^/]*$)/.test(image) ? image : `${image}:latest`
  const progress = await docker.pull(tagged, { abortSignal: AbortSignal.timeout(PULL_MS) })
  await new Promise<void>((resolve, reject) =>
    docker.modem.followProgress(progress, (error) => (error ? reject(error) : resolve())),
  )
}

/** The HTTP status of the engine's answer; null if there was none. */
export function statusOf(error: unknown): number | null {
  const { statusCode } = error as { statusCode?: unknown }
  return typeof statusCode === 'number' ? statusCode : null
}

/** Whether the request cannot have reached the engine, so that nothing was done. */
export function wasNeverSent(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return ['ECONNREFUSED', 'ENOENT', 'EACCES', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND'].includes(String(code))
}

/** Whether the engine is away: it answered with an error, or not at all, or the connection broke. */
export function isAway(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  const isBroken = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes(String(code))
  return (
    statusOf(error) !== null || wasNeverSent(error) || isBroken || /socket hang up|timed? ?out/i.test(String(message))
  )
}

/** A container that the machine has no room for now; it would start later. */
export function isShortage(error: unknown): boolean {
  return /cannot allocate memory|no space left on device|resource temporarily unavailable/i.test(sentenceOf(error))
}

/** The engine's own words, without the envelope of its answer. */
export function sentenceOf(error: unknown): string {
  const { json, message, code } = error as { json?: { message?: string }; message?: string; code?: string }
  const text = json?.message ?? (message || code) ?? String(error)
  return text.trim().replace(/\.$/, '').slice(0, 500)
}
