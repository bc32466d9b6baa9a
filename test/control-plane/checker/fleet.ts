/** The processes of a service with separate roles, two of each, which are replaced while bots run. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { packageRoot } from '../../../packages/core/process/page-scripts.ts'
import { freePort } from '../../servers/free-port.ts'
import { PROGRAM_ENVIRONMENT } from '../../servers/program-environment.ts'
import type { RoleSettings } from './role-process.ts'

const SERVICE = join(packageRoot, 'control-plane/main/cli/index.ts')
/** Its bots are simulated, which no setting of the real program offers. */
const LAUNCHER = fileURLToPath(new URL('role-process.ts', import.meta.url))
/** A busy machine is slow to start a process. */
const START_MS = 180_000

export type Kind = 'api' | 'links' | 'dispatcher' | 'jobs' | 'launcher'

export interface Member {
  kind: Kind
  port: number
  process: ChildProcess
  /** Of a process that ended by itself too early. */
  log: string[]
}

export interface FleetSettings {
  folder: string
  databaseUrl: string
  sealKeys: string
  hostUrl: string
  linkUrl: string
  leaseSeconds: number
  /** Ports behind the two addresses of the service; they change with the processes. */
  behind: { api: number[]; links: number[] }
}

export interface Replaced {
  kind: Kind
  signal: NodeJS.Signals
  exitCode: number | null
  /** From the signal to the end of the process. */
  seconds: number
}

export class Fleet {
  readonly members: Member[] = []
  readonly #settings: FleetSettings
  #started = 0

  constructor(settings: FleetSettings) {
    this.#settings = settings
  }

  async start(kinds: readonly Kind[]): Promise<void> {
    this.members.push(...(await Promise.all(kinds.map((kind) => this.#startOne(kind)))))
  }

  /**
   * Starts a new process beside the old one, as an orchestrator does. Once it is ready, the old one gets no new
   * connections, and then its signal.
   */
  async replace(old: Member, signal: NodeJS.Signals): Promise<Replaced> {
    const fresh = await this.#startOne(old.kind)
    this.members.splice(this.members.indexOf(old), 1, fresh)
    const ports = this.#portsOf(old.kind)
    if (ports.includes(old.port)) ports.splice(ports.indexOf(old.port), 1)
    const startedAt = performance.now()
    const ended = once(old.process, 'exit')
    old.process.kill(signal)
    const [exitCode] = (await ended) as [number | null]
    return { kind: old.kind, signal, exitCode, seconds: (performance.now() - startedAt) / 1000 }
  }

  async close(): Promise<void> {
    await Promise.all(
      this.members.map(async ({ process: member }) => {
        if (member.exitCode !== null || member.signalCode !== null) return
        member.kill('SIGKILL')
        await once(member, 'exit')
      }),
    )
  }

  #portsOf(kind: Kind): number[] {
    const { api, links } = this.#settings.behind
    return kind === 'api' ? api : kind === 'links' ? links : []
  }

  async #startOne(kind: Kind): Promise<Member> {
    const number = ++this.#started
    const port = await freePort()
    const member: Member = {
      kind,
      port,
      process: kind === 'launcher' ? this.#launcher() : this.#service(kind, number, port),
      log: [],
    }
    member.process.stderr?.on('data', (text) => {
      member.log.push(String(text))
      member.log.splice(0, member.log.length - 50)
    })
    await (kind === 'launcher'
      ? Promise.race([once(member.process, 'message'), this.#end(member)])
      : this.#ready(member))
    this.#portsOf(kind).push(port)
    return member
  }

  #launcher(): ChildProcess {
    const { databaseUrl, sealKeys, folder, hostUrl, linkUrl, leaseSeconds } = this.#settings
    const recordings = join(folder, 'recordings')
    const settings: RoleSettings = {
      role: 'launcher',
      databaseUrl,
      sealKeys,
      recordings,
      hostUrl,
      linkUrl,
      port: 0,
      leaseSeconds,
    }
    const env = { ...process.env, TEST_ROLE: JSON.stringify(settings) }
    return spawn(process.execPath, [LAUNCHER], { env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  }

  /** The real program, as an operator starts it. */
  #service(kind: Kind, number: number, port: number): ChildProcess {
    const { databaseUrl, sealKeys, folder } = this.#settings
    const env = {
      ...PROGRAM_ENVIRONMENT,
      HOME: process.env.HOME,
      DATABASE_URL: databaseUrl,
      STANDIN_SECRET_KEYS: sealKeys,
      STANDIN_ROLES: kind,
      STANDIN_DATA: join(folder, `data-${number}`),
      STANDIN_PORT: String(port),
      STANDIN_STORAGE: `folder:${join(folder, 'recordings')}`,
      STANDIN_PRIVATE_ADDRESSES: 'allow',
      STANDIN_WEBHOOK_DELAYS: '0.1,0.2,0.5',
      STANDIN_DEMO: 'off',
      STANDIN_LOG_LEVEL: 'warn',
    }
    return spawn(process.execPath, [SERVICE], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  }

  async #ready(member: Member): Promise<void> {
    const until = performance.now() + START_MS
    const isReady = () =>
      fetch(`http://127.0.0.1:${member.port}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      )
    while (!(await isReady())) {
      if (member.process.exitCode !== null || member.process.signalCode !== null) await this.#end(member)
      if (performance.now() > until) throw new Error(`A process with the role ${member.kind} is not ready`)
      await sleep(100)
    }
  }

  async #end({ kind, process: member, log }: Member): Promise<never> {
    if (member.exitCode === null && member.signalCode === null) await once(member, 'exit')
    throw new Error(`A process with the role ${kind} ended early: ${log.join('').slice(-2000)}`)
  }
}
