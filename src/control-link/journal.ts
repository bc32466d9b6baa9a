/**
 * Every event of a bot, numbered from 1 without gaps, on disk before it is sent. A full or broken disk is logged once
 * and does not stop the bot: events wait in memory, within a limit, until the disk works again.
 */

import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BotEvent, type NumberedEvent, numberedEventSchema } from '@standin/wire/events.ts'
import { jsonText } from '@standin/wire/text/json-text.ts'
import { z } from 'zod'
import type { Logger } from '../../packages/core/logger.ts'
import { type Line, LineFile } from './line-file.ts'

export const JOURNAL_NAME = 'events.jsonl'
export const LINK_STATE_NAME = '.control-link.json'

/** Characters of events that may wait in memory for the disk; about four hours of a lively meeting. */
const MAX_WAITING = 16 * 1024 * 1024
/** Beyond this limit, only events that say how the bot ended are accepted. */
const MAX_WAITING_LIVELY = 12 * 1024 * 1024
const ESSENTIAL: ReadonlySet<BotEvent['type']> = new Set(['status_change', 'artifact', 'final_report'])
/** The disk is asked to keep, and the acknowledged number is saved, at most this often: it also has a video to write. */
const SAVE_EVERY_MS = 1_000

export interface JournalOptions {
  /** The recording's folder; made if it is missing. */
  folder: string
  botId: string
  logger: Logger
  now?: () => number
}

export class Journal {
  readonly #options: JournalOptions
  readonly #now: () => number
  #file: LineFile | null = null
  #waiting: Line[] = []
  #waitingSize = 0
  #lost = 0
  #lastSeq = 0
  #state: LinkState
  #saveTimer: NodeJS.Timeout | undefined
  #flushing: Promise<void> = Promise.resolve()
  readonly #troubles = new Set<string>()
  #isClosed = false

  constructor(options: JournalOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#state = readLinkState(this.#path(LINK_STATE_NAME))
    this.#withDisk('The journal cannot be opened; events wait in memory', () => this.#open())
    // A journal that has less than was acknowledged is not the one that the control plane knows.
    if (this.#state.acknowledged > this.#lastSeq) this.renew()
    else this.#saveState()
  }

  /** Changes when the numbering restarts; the control plane stores events under it. */
  get id(): string {
    return this.#state.journal_id
  }

  get lastSeq(): number {
    return this.#lastSeq
  }

  /** The highest number that the control plane said it has stored. */
  get acknowledged(): number {
    return this.#state.acknowledged
  }

  /** Numbers the event and writes it down; null if neither disk nor memory had room for it. Never throws. */
  append(event: BotEvent): NumberedEvent | null {
    if (this.#isClosed) {
      this.#options.logger.warn('An event came after the journal was closed', { type: event.type })
      return null
    }
    const numbered: NumberedEvent = {
      type: 'event',
      seq: this.#lastSeq + 1,
      bot_id: this.#options.botId,
      at: new Date(this.#now()).toISOString(),
      event,
    }
    const text = jsonText(numbered)
    const room = ESSENTIAL.has(event.type) ? MAX_WAITING : MAX_WAITING_LIVELY
    this.#writeWaiting()
    if (this.#waitingSize + text.length > room) {
      this.#lost += 1
      if (this.#lost === 1) this.#options.logger.error('Events are lost: neither disk nor memory has room for them')
      return null
    }
    this.#lastSeq = numbered.seq
    this.#waiting.push({ seq: numbered.seq, text })
    this.#waitingSize += text.length
    this.#writeWaiting()
    this.#saveSoon()
    return numbered
  }

  /** Events behind `seq` as they go over the link, oldest first: about `maxSize` characters, at least one. */
  readAfter(seq: number, maxSize: number): Line[] {
    try {
      const lines = this.#file?.readAfter(seq, maxSize) ?? []
      return lines.length > 0 ? lines : this.#waitingAfter(seq, maxSize)
    } catch (error) {
      this.#trouble('The journal cannot be read', error)
      return []
    }
  }

  /** Also backwards: a control plane on an older copy of its database has less than it once had. */
  acknowledge(seq: number): void {
    if (seq > this.#lastSeq) throw new Error(`Event ${seq} was never written`)
    if (seq === this.#state.acknowledged) return
    this.#state.acknowledged = seq
    this.#saveSoon()
  }

  /** Gives the journal a new id, for which the control plane has no events yet. */
  renew(): void {
    this.#state = { journal_id: crypto.randomUUID(), acknowledged: 0 }
    this.#saveState()
  }

  /** Resolves when the disk was asked to keep everything. Never rejects. */
  async flush(): Promise<void> {
    clearTimeout(this.#saveTimer)
    this.#saveTimer = undefined
    this.#writeWaiting()
    this.#saveState()
    const file = this.#file
    this.#flushing = this.#flushing.then(() =>
      file?.flush().catch((error) => this.#trouble('The journal cannot be flushed', error)),
    )
    await this.#flushing
    // Trouble may pass without another event that would try again.
    if (this.#waiting.length > 0) this.#saveSoon()
  }

  /** Repeatable; never rejects. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.flush()
    if (this.#waiting.length > 0 || this.#lost > 0)
      this.#options.logger.error('The journal is not complete', { unwritten: this.#waiting.length, lost: this.#lost })
    this.#withDisk('The journal cannot be closed', () => this.#file?.close())
    this.#file = null
  }

  #path(name: string): string {
    return join(this.#options.folder, name)
  }

  #open(): void {
    const { botId, folder, logger } = this.#options
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const file = new LineFile(this.#path(JOURNAL_NAME), (text, seq) => isEvent(text, seq, botId))
    if (file.repair) logger.warn('The end of the journal was damaged and is cut off', { ...file.repair })
    if (this.#waiting.length === 0) this.#lastSeq = file.lastSeq
    // Events were numbered without the file, so what it holds is another numbering.
    else if (file.lastSeq > 0) {
      file.close()
      throw new Error('The journal holds events that were not seen when the numbering began')
    }
    this.#file = file
  }

  #waitingAfter(seq: number, maxSize: number): Line[] {
    const lines: Line[] = []
    let size = 0
    // Numbers have no gaps, so the place of the next one is known.
    for (let at = seq + 1 - (this.#waiting[0]?.seq ?? 0); size < maxSize; at++) {
      const line = this.#waiting[at]
      if (!line) break
      lines.push(line)
      size += line.text.length
    }
    return lines
  }

  #writeWaiting(): void {
    if (this.#waiting.length === 0) return
    this.#withDisk('An event cannot be written down and waits in memory', () => {
      if (this.#file === null) this.#open()
      for (let line = this.#waiting[0]; line; line = this.#waiting[0]) {
        this.#file?.append(line.text)
        this.#waiting.shift()
        this.#waitingSize -= line.text.length
      }
    })
  }

  #saveSoon(): void {
    if (this.#isClosed) return
    this.#saveTimer ??= setTimeout(() => void this.flush(), SAVE_EVERY_MS).unref()
  }

  #saveState(): void {
    this.#withDisk('The state of the control link cannot be saved', () =>
      writeLinkState(this.#path(LINK_STATE_NAME), this.#state),
    )
  }

  #withDisk(problem: string, work: () => void): void {
    try {
      work()
      this.#troubles.delete(problem)
    } catch (error) {
      this.#trouble(problem, error)
    }
  }

  /** Told once for every stretch of trouble, not for every event in it. */
  #trouble(problem: string, error: unknown): void {
    if (!this.#troubles.has(problem)) this.#options.logger.error(problem, { folder: this.#options.folder, error })
    this.#troubles.add(problem)
  }
}

function isEvent(text: string, seq: number, botId: string): boolean {
  try {
    const event = numberedEventSchema.safeParse(JSON.parse(text))
    return event.success && event.data.seq === seq && event.data.bot_id === botId
  } catch {
    return false
  }
}

/** The small file beside the journal: which journal it is, and up to where the control plane has stored it. */
const stateSchema = z.strictObject({ journal_id: z.uuid(), acknowledged: z.int().min(0) })
type LinkState = z.infer<typeof stateSchema>

/** A state that is missing or unreadable means a new journal: the control plane is then given everything again. */
function readLinkState(path: string): LinkState {
  try {
    return stateSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return { journal_id: randomUUID(), acknowledged: 0 }
  }
}

/** Old or new, never half: written beside and renamed. Throws what the file system throws. */
function writeLinkState(path: string, state: LinkState): void {
  const beside = `${path}.new`
  // Do not write into a leftover file of a killed process, or through a link.
  rmSync(beside, { force: true })
  writeFileSync(beside, `${JSON.stringify(state)}\n`, { flag: 'wx', mode: 0o600 })
  renameSync(beside, path)
}
