/** PostgreSQL with the plainest service beside it, for starts and for what an idle service costs. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type OwnPostgres, startOwnPostgres } from '../../control-plane/store/own-postgres.ts'

export class PlainInstallation {
  readonly #folder = mkdtempSync(join(tmpdir(), 'standin-bench-plain-'))
  #postgres: OwnPostgres | null = null
  #api: ChildProcess | null = null

  /** Resolves with the milliseconds until it answers. The first start makes the database cluster. */
  async start(): Promise<number> {
    chmodSync(this.#folder, 0o755)
    const startedAt = performance.now()
    this.#postgres = await startOwnPostgres({ folder: this.#folder })
    const env = { PATH: process.env.PATH, BENCH_DATABASE: this.#postgres.url, BENCH_PORT: '0' }
    this.#api = fork(new URL('plain-api.ts', import.meta.url), { env })
    await once(this.#api, 'message')
    return performance.now() - startedAt
  }

  get pids(): number[] {
    const postmaster = readFileSync(join(this.#folder, 'database/cluster/postmaster.pid'), 'utf8').split('\n')[0]
    return [this.#api!.pid!, Number(postmaster)]
  }

  async stop(): Promise<void> {
    if (this.#api?.connected) {
      const ended = once(this.#api, 'exit')
      this.#api.disconnect()
      await ended
    }
    await this.#postgres?.stop()
  }

  async dispose(): Promise<void> {
    await this.stop().catch(() => {})
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
