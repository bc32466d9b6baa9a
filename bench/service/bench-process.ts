/** A program of the bench as a separate process. It reports its port when it is ready. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

export class BenchProcess {
  readonly port: number
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.port = port
  }

  /** `file` is in the folder of this one. Port 0: any free port. */
  static async start(file: string, env: Readonly<Record<string, string>> = {}, port = 0): Promise<BenchProcess> {
    const child = fork(new URL(file, import.meta.url), {
      env: { PATH: process.env.PATH, BENCH_PORT: String(port), ...env },
    })
    const [message] = (await once(child, 'message')) as [{ port: number }]
    return new BenchProcess(child, message.port)
  }

  get pid(): number {
    return this.#child.pid!
  }

  /** Of the programs that answer questions; one question at a time. */
  async ask(question: string): Promise<unknown> {
    this.#child.send(question)
    const [answer] = await once(this.#child, 'message')
    return answer
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }
}
