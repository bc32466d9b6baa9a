/** The service in a separate process, as a person starts it, on a data folder that outlives it. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startOwnPostgres } from '../../control-plane/store/own-postgres.ts'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'
import { freePort } from '../servers/free-port.ts'
import { compiledOnce, PROGRAM_ENVIRONMENT } from '../servers/program-environment.ts'

const PROGRAM = join(packageRoot, 'control-plane/main/cli/index.ts')
/** From the sources, as the tests run everything. */
const BOT_COMMAND = compiledOnce(`${process.execPath} ${join(packageRoot, 'src/cli/index.ts')} join --json`)
const START_MS = 120_000

type Json = Record<string, unknown>

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers of tests
  body: { success?: boolean; data?: any; [field: string]: unknown }
}

export class ServiceProcess {
  readonly folder: string
  readonly port: number
  readonly #environment: Record<string, string>
  #process: ChildProcess | null = null
  #output = ''
  #log = ''

  private constructor(folder: string, port: number, environment: Record<string, string>) {
    this.folder = folder
    this.port = port
    this.#environment = environment
  }

  /** A fresh folder and a free port, which stay the same however often the service is started. */
  static async prepare(environment: Record<string, string> = {}): Promise<ServiceProcess> {
    const base = await mkdtemp(join(tmpdir(), 'standin-service-'))
    // PostgreSQL runs as another user where the tests run as root, and has to pass through.
    await chmod(base, 0o755)
    return new ServiceProcess(join(base, 'data'), await freePort(), {
      STANDIN_PRIVATE_ADDRESSES: 'allow',
      STANDIN_BOT_COMMAND: BOT_COMMAND,
      ...environment,
    })
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get pid(): number {
    return this.#process!.pid!
  }

  /** Its output for the operator. */
  get output(): string {
    return this.#output
  }

  get log(): string {
    return this.#log
  }

  /** Resolves when the API answers. */
  async start(): Promise<void> {
    const startedAt = performance.now()
    const service = spawn(process.execPath, [PROGRAM, '--data', this.folder, '--port', String(this.port)], {
      env: { ...PROGRAM_ENVIRONMENT, HOME: process.env.HOME, ...this.#environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#process = service
    this.#output = ''
    const before = this.#log.length
    service.stdout!.on('data', (text) => {
      this.#output += String(text)
    })
    service.stderr!.on('data', (text) => {
      this.#log += String(text)
    })
    for (;;) {
      if (service.exitCode !== null || service.signalCode !== null)
        throw new Error(`The service ended with ${service.exitCode ?? service.signalCode}:\n${this.#log.slice(-4000)}`)
      const status = await fetch(`${this.url}/v2/bots/${crypto.randomUUID()}`).then(
        (answer) => answer.status,
        () => null,
      )
      if (status === 401 && this.#log.includes('Service ready', before)) return
      if (performance.now() - startedAt > START_MS) throw new Error(`The service did not start:\n${this.#log}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    const service = this.#process
    if (service === null || service.exitCode !== null || service.signalCode !== null) return service?.exitCode ?? null
    const ended = once(service, 'exit')
    service.kill(signal)
    const [code] = await ended
    return code as number | null
  }

  async key(): Promise<string> {
    return (await readFile(join(this.folder, 'api-key'), 'utf8')).trim()
  }

  async call(method: string, path: string, body?: Json): Promise<Answer> {
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers: { 'x-service-api-key': await this.key(), ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: (await answer.json()) as Answer['body'] }
  }

  /** Runs a command of the shell beside the service. */
  async command<T = Record<string, string>>(...words: string[]): Promise<T> {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [PROGRAM, ...words, '--json', '--data', this.folder],
      { env: { ...PROGRAM_ENVIRONMENT, ...this.#environment } },
    )
    return JSON.parse(stdout) as T
  }

  /** Ends the service and removes everything that it left: its database and its folder. */
  async dispose(): Promise<void> {
    await this.end('SIGKILL')
    const postgres = await startOwnPostgres({ folder: this.folder }).catch(() => null)
    await postgres?.stop()
    await rm(join(this.folder, '..'), { recursive: true, force: true })
  }
}
