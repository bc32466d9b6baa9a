/** The service as a user starts it: a separate process, with its own data folder and port. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Database, openDatabase } from '../../control-plane/store/database.ts'
import { startOwnPostgres } from '../../control-plane/store/own-postgres.ts'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'
import { freePort } from '../../test/servers/free-port.ts'
import { wait } from './measure.ts'

const START_MS = 120_000
const POLL_MS = 10

/** `--sources` runs the service without a build. */
let fromSources = false
export function useSources(): void {
  fromSources = true
}

const command = (): [string, ...string[]] =>
  fromSources
    ? [process.execPath, join(packageRoot, 'control-plane/main/cli/index.ts')]
    : [join(packageRoot, 'bin/standin'), 'service']

/** The command of one bot, as the process launcher of the service runs it. */
export const botCommand = (): [string, ...string[]] =>
  fromSources
    ? [process.execPath, join(packageRoot, 'src/cli/index.ts'), 'join']
    : [join(packageRoot, 'bin/standin'), 'join']

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers of the API
  body: any
}

export class Service {
  readonly folder: string
  readonly port: number
  readonly #base: string
  readonly #environment: Record<string, string>
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256 })
  #process: ChildProcess | null = null
  #log = ''

  private constructor(base: string, port: number, environment: Record<string, string>) {
    this.#base = base
    this.folder = join(base, 'data')
    this.port = port
    this.#environment = environment
  }

  static async prepare(environment: Record<string, string> = {}): Promise<Service> {
    const base = mkdtempSync(join(tmpdir(), 'standin-bench-'))
    // PostgreSQL runs as another user where the bench runs as root, and has to pass through.
    chmodSync(base, 0o755)
    const bots: Record<string, string> = fromSources ? { STANDIN_BOT_COMMAND: botCommand().join(' ') } : {}
    const log = { STANDIN_LOG_LEVEL: 'warn' }
    return new Service(base, await freePort(), { ...log, ...bots, STANDIN_PRIVATE_ADDRESSES: 'allow', ...environment })
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get linkUrl(): string {
    return `ws://127.0.0.1:${this.port}/link`
  }

  get pid(): number {
    return this.#process!.pid!
  }

  /** Of the service's own PostgreSQL. */
  get postmasterPid(): number {
    return Number(readFileSync(join(this.folder, 'database/cluster/postmaster.pid'), 'utf8').split('\n')[0])
  }

  /** Resolves with the milliseconds until the API answers, or the health check of a process without one. */
  async start(roles?: string): Promise<number> {
    const startedAt = performance.now()
    const [program, ...words] = command()
    const service = spawn(program, [...words, '--data', this.folder, '--port', String(this.port)], {
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        ...this.#environment,
        ...(roles && { STANDIN_ROLES: roles }),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    this.#process = service
    service.stderr!.on('data', (text) => {
      this.#log = `${this.#log}${text}`.slice(-8_000)
    })
    const hasApi = roles === undefined || roles.split(',').includes('api')
    const [path, wanted] = hasApi ? [`/v2/bots/${crypto.randomUUID()}`, 401] : ['/healthz', 200]
    for (;;) {
      if (service.exitCode !== null || service.signalCode !== null)
        throw new Error(`The service ended with ${service.exitCode ?? service.signalCode}:\n${this.#log}`)
      const status = await fetch(`${this.url}${path}`).then(
        (answer) => answer.status,
        () => null,
      )
      if (status === wanted) return performance.now() - startedAt
      if (performance.now() - startedAt > START_MS) throw new Error(`The service did not start:\n${this.#log}`)
      await wait(POLL_MS)
    }
  }

  /** Warnings and errors that it logged lately. */
  get log(): string {
    return this.#log
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const service = this.#process
    if (service === null || service.exitCode !== null || service.signalCode !== null) return
    const ended = once(service, 'exit')
    service.kill(signal)
    await ended
  }

  /** Its own PostgreSQL, which runs on when the service ends. */
  async databaseUrl(): Promise<string> {
    return (await startOwnPostgres({ folder: this.folder })).url
  }

  async openDatabase(connections: number): Promise<Database> {
    return openDatabase({
      url: await this.databaseUrl(),
      role: 'bench',
      connections,
      statementTimeoutMs: 120_000,
      onError: () => {},
    })
  }

  get key(): string {
    return readFileSync(join(this.folder, 'api-key'), 'utf8').trim()
  }

  /** The first team. */
  async teamId(database: Database): Promise<string> {
    return (await database.selectFrom('teams').select('id').orderBy('created_at').executeTakeFirstOrThrow()).id
  }

  /** Over connections that are kept, at most 256. */
  call(method: string, path: string, key: string, body?: object): Promise<Answer> {
    const text = body === undefined ? undefined : JSON.stringify(body)
    return new Promise((resolve, reject) => {
      const asked = request(
        `${this.url}${path}`,
        {
          method,
          agent: this.#agent,
          headers: {
            'x-service-api-key': key,
            ...(text && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
          },
        },
        (answer) => {
          readText(answer).then(
            (read) => resolve({ status: answer.statusCode!, body: read === '' ? null : JSON.parse(read) }),
            reject,
          )
        },
      )
      asked.on('error', reject)
      asked.end(text)
    })
  }

  /** Runs a command of the shell beside the service. */
  async command<T>(...commandWords: string[]): Promise<T> {
    const [program, ...words] = command()
    const { stdout } = await promisify(execFile)(
      program,
      [...words, ...commandWords, '--json', '--data', this.folder],
      { env: { PATH: process.env.PATH, ...this.#environment } },
    )
    return JSON.parse(stdout) as T
  }

  /** Ends the service and what it left: its database and its folder. */
  async dispose(): Promise<void> {
    this.#agent.destroy()
    await this.end('SIGKILL')
    if (this.#environment.DATABASE_URL === undefined) {
      const postgres = await startOwnPostgres({ folder: this.folder }).catch(() => null)
      await postgres?.stop()
    }
    rmSync(this.#base, { recursive: true, force: true })
  }
}

async function readText(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of answer) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString()
}

/** Runs `work` with a service that is disposed of afterwards. */
export async function withService<T>(
  environment: Record<string, string>,
  work: (service: Service) => Promise<T>,
): Promise<T> {
  const service = await Service.prepare(environment)
  try {
    return await work(service)
  } catch (error) {
    if (service.log !== '') process.stderr.write(`The service logged:\n${service.log}\n`)
    throw error
  } finally {
    await service.dispose()
  }
}
