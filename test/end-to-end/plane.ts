/** The example control plane of the documentation, with a short way to command a bot through it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NumberedEvent } from '@standin/wire/events.ts'
import type { BotProcess } from './bot-process.ts'

interface ControlPlane {
  url: string
  api: string
  close(): Promise<void>
}
type StartControlPlane = (options: { port?: number; token: string; folder: string }) => Promise<ControlPlane>

export const TOKEN = 'token-of-the-tests'

export class Plane {
  readonly #folder: string
  readonly #start: StartControlPlane
  #plane: ControlPlane

  private constructor(start: StartControlPlane, plane: ControlPlane, folder: string) {
    this.#start = start
    this.#plane = plane
    this.#folder = folder
  }

  static async start(): Promise<Plane> {
    const example = new URL('../../docs/examples/control-plane.mjs', import.meta.url)
    const { startControlPlane } = (await import(example.href)) as { startControlPlane: StartControlPlane }
    const folder = mkdtempSync(join(tmpdir(), 'standin-plane-'))
    return new Plane(startControlPlane, await startControlPlane({ token: TOKEN, folder }), folder)
  }

  /** For the job of a bot. */
  get job(): { control_plane: { url: string; token: string } } {
    return { control_plane: { url: this.#plane.url, token: TOKEN } }
  }

  async command(bot: BotProcess, body: Record<string, unknown>): Promise<Record<string, unknown>> {
    const answer = await this.#ask(bot, 'commands', { method: 'POST', body: JSON.stringify(body) })
    return (await answer.json()) as Record<string, unknown>
  }

  async storedEvents(bot: BotProcess): Promise<NumberedEvent[]> {
    const text = (await (await this.#ask(bot, 'events')).text()).trim()
    return text.split('\n').map((line) => JSON.parse(line) as NumberedEvent)
  }

  /** Away until `comeBack`, at the same address. */
  async goDown(): Promise<void> {
    await this.#plane.close()
  }

  async comeBack(): Promise<void> {
    const port = Number(new URL(this.#plane.api).port)
    this.#plane = await this.#start({ port, token: TOKEN, folder: this.#folder })
  }

  async close(): Promise<void> {
    await this.#plane.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #ask(bot: BotProcess, what: string, options: RequestInit = {}): Promise<Response> {
    return fetch(`${this.#plane.api}/bots/${bot.botId}/${what}`, {
      ...options,
      headers: { authorization: `Bearer ${TOKEN}` },
    })
  }
}
