/** One of the plainest programs, as a process of its own; it says its port when it listens. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

export class PlainProcess {
  readonly port: number
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.port = port
  }

  /** `file` lies beside this one. Port 0: any. */
  static async start(file: string, env: Record<string, string> = {}, port = 0): Promise<PlainProcess> {
    const child = fork(new URL(file, import.meta.url), {
      env: { PATH: process.env.PATH, BENCH_PORT: String(port), ...env },
    })
    const [message] = (await once(child, 'message')) as [{ port: number }]
    return new PlainProcess(child, message.port)
  }

  get pid(): number {
    return this.#child.pid!
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }
}
