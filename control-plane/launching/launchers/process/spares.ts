/**
 * Bots that stand by: each has loaded its program and waits for a start on its standard input. It has no job, no browser and
 * no name, and ends with this process, whose end closes that input.
 */
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { BotStart } from '@standin/wire/process/stand-by.ts'
import { inTurn } from '@standin/wire/time/in-turn.ts'

const PREFIX = 'spare-'
/** A bot that has just started needs the processor more. */
const AFTER_A_START_MS = 10_000

export interface SparesSettings {
  /** The launcher's. */
  folder: string
  /** How many stand by, at most. */
  count: number
  /** Starts one whose supervisor works in this folder. Rejects if it cannot be started. */
  start(place: string): Promise<ChildProcess>
  /** How many further bots there is room for: each takes over what its spare uses. */
  free(): Promise<number>
  onFailure(error: unknown): void
}

interface Spare {
  place: string
  supervisor: ChildProcess
}

export class Spares {
  readonly #settings: SparesSettings
  #standing: Spare[] = []
  #soon: NodeJS.Timeout | undefined
  readonly #inTurn = inTurn(1)

  private constructor(settings: SparesSettings) {
    this.#settings = settings
  }

  /** Removes the folders of an earlier launcher's, whose processes ended with it. */
  static async open(settings: SparesSettings): Promise<Spares> {
    const names = (await readdir(settings.folder)).filter((name) => name.startsWith(PREFIX))
    for (const name of names) await rm(join(settings.folder, name), { recursive: true, force: true, maxRetries: 5 })
    return new Spares(settings)
  }

  /** Starts those that are missing, and ends those that there is no room for. Never rejects. */
  fill(): Promise<void> {
    return this.#inTurn(async () => {
      const { count, free, onFailure } = this.#settings
      if (count === 0) return
      try {
        const wanted = Math.min(count, await free())
        const alive = this.#standing.filter(isAlive)
        const kept = alive.slice(0, wanted)
        const gone = this.#standing.filter((spare) => !kept.includes(spare))
        this.#standing = kept
        for (const spare of gone) await dismiss(spare)
        while (this.#standing.length < wanted) await this.#add()
      } catch (error) {
        onFailure(error)
      }
    })
  }

  /** The same a while after the latest start of a bot. */
  fillLater(): void {
    clearTimeout(this.#soon)
    this.#soon = setTimeout(() => void this.fill(), AFTER_A_START_MS)
    this.#soon.unref()
  }

  /**
   * The oldest one, whose folder takes the place of the empty folder `place`. The caller has to start or to end it. Null if none
   * stands by, or another launcher was faster. Never rejects.
   */
  take(place: string): Promise<{ start(start: BotStart): void; end(): void } | null> {
    return this.#inTurn(async () => {
      const spare = this.#standing.find(isAlive)
      if (spare === undefined) return null
      this.#standing = this.#standing.filter((other) => other !== spare)
      // If it ends meanwhile, its folder says so, as that of every bot does.
      const input = spare.supervisor.stdin!.on('error', () => {})
      const isThere = await rename(spare.place, place).then(
        () => true,
        () => false,
      )
      if (isThere) return { start: (start) => void input.end(JSON.stringify(start)), end: () => void input.end() }
      await dismiss(spare)
      return null
    })
  }

  async #add(): Promise<void> {
    const place = join(this.#settings.folder, `${PREFIX}${randomUUID()}`)
    await mkdir(place, { mode: 0o700 })
    const supervisor = await this.#settings.start(place)
    this.#standing.push({ place, supervisor })
  }
}

const isAlive = ({ supervisor }: Spare) => supervisor.exitCode === null && supervisor.signalCode === null

async function dismiss({ place, supervisor }: Spare): Promise<void> {
  supervisor.stdin!.end()
  // The supervisor may still write there.
  await rm(place, { recursive: true, force: true, maxRetries: 5 })
}
