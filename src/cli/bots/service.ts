/** The service that the commands of `standin bots` ask: its address, the key, and requests that are tried again. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createStandinClient, StandinApiError, type StandinClient } from '@standin/client/index.ts'
import { CommandMistake } from '@standin/wire/process/command-output.ts'
import { backoff } from '@standin/wire/time/backoff.ts'
import { systemClock } from '@standin/wire/time/deadline.ts'
import { fileProblem, shownText } from '../shown-text.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface ServiceFlags {
  url?: string
  keyFile?: string
  json?: boolean
  quiet?: boolean
}

const DEFAULT_URL = 'http://127.0.0.1:8080'
/** Speech is answered when it is over. */
const REQUEST_MS = 130_000
/** A service that is restarted, or that has too much to do, answers by then. */
const PATIENCE_MS = 10 * 60_000
const PAUSE = { first: 1000, max: 15_000, jitter: 0.3 }

/** Throws CommandMistake if address or key is missing. Requests end with the signal. */
export function openService(flags: ServiceFlags, environment: Environment, signal?: AbortSignal): StandinClient['v2'] {
  const { url, apiKey } = accessOf(flags, environment)
  const inTime = (request: Request) => {
    const signals = [request.signal, AbortSignal.timeout(REQUEST_MS), ...(signal ? [signal] : [])]
    return fetch(request, { signal: AbortSignal.any(signals) })
  }
  return createStandinClient({ baseUrl: url, apiKey, fetch: inTime as typeof fetch }).v2
}

/** Address and key: of options, of variables, of the data folder of a service that was started here. */
export function accessOf({ url, keyFile }: ServiceFlags, environment: Environment): { url: string; apiKey: string } {
  const folder = environment.STANDIN_DATA || 'service-data'
  const named = url ?? (environment.STANDIN_URL || undefined)
  const address = named ?? textOf(join(folder, 'address')) ?? DEFAULT_URL
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw new CommandMistake(
      `${url === undefined ? 'STANDIN_URL' : '--url'}: "${shownText(address, 100)}" is not the address of a service, such as ${DEFAULT_URL}`,
    )
  const given = keyFile === undefined ? environment.STANDIN_API_KEY?.trim() : requiredText(keyFile)
  // The key of the service on this machine is not sent to another machine.
  const apiKey = given || (named === undefined || isOnThisMachine(named) ? textOf(join(folder, 'api-key')) : null)
  if (!apiKey)
    throw new CommandMistake(
      `An API key is needed: set STANDIN_API_KEY, or use --key-file, or run the command where ${join(folder, 'api-key')} is`,
    )
  if (!/^[!-~]{8,200}$/.test(apiKey))
    throw new CommandMistake(`${keyFile === undefined ? 'STANDIN_API_KEY' : '--key-file'}: that is not an API key`)
  return { url: address, apiKey }
}

export const isOnThisMachine = (url: string) => /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname)

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim() || null
  } catch {
    return null
  }
}

function requiredText(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new CommandMistake(`--key-file: ${fileProblem(error, file)}`)
  }
}

/** Whether the same request may succeed later. */
const mayPass = (error: unknown): error is StandinApiError =>
  error instanceof StandinApiError && [0, 429, 502, 503, 504].includes(error.status)

/** Asks again while the service is away or has too much to do, for ten minutes. `onTrouble` gets a sentence about the first failure. */
export async function patiently<T>(
  ask: () => Promise<T>,
  { signal, onTrouble }: { signal: AbortSignal; onTrouble: (sentence: string) => void },
): Promise<T> {
  const startedAt = systemClock.now()
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask()
    } catch (error) {
      if (signal.aborted || !mayPass(error) || systemClock.now() - startedAt > PATIENCE_MS) throw error
      if (tries === 1) onTrouble(`${error.message}. Trying again …`)
      await systemClock.sleep(Math.max((error.retryAfter ?? 0) * 1000, backoff(PAUSE, tries)), signal)
    }
  }
}
