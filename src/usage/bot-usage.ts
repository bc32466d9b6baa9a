/**
 * Resources that a bot used since its process started: the one place that counts them, for heartbeats and the final report.
 *
 * Processor time and memory are those of the whole process tree. Bytes received and sent are those of the browser as it
 * counts them itself: HTTP messages (their bodies as they were transferred, and their headers), payloads of WebSockets, and
 * WebRTC transports of the meeting from admission on. They do not include headers of TLS, TCP, UDP and IP, WebTransport, and
 * what the bot itself exchanges with storage, service, streaming and transcription: counters of a network interface would,
 * but a machine has one for all its bots. Bytes stored are those of the files.
 */
import {
  type BotUsage,
  MAX_CORE_SECONDS,
  MAX_MEMORY_BYTES,
  MAX_PHASE_SECONDS,
  MAX_TRAFFIC_BYTES,
  USAGE_PHASES,
  type UsagePhase,
} from '@standin/wire/usage.ts'
import type { UsageMeter, UsageReading } from '../../packages/core/ports.ts'
import { createProcessMeter, type ProcessMeter } from './process-usage.ts'

/** Milliseconds. Ended processes are known by the last reading before their end. */
const READ_EVERY_MS = 5_000

export interface BotUsageOptions {
  processes?: ProcessMeter
  /** Milliseconds since the start of the process. */
  now?: () => number
  readEveryMs?: number
}

export function openBotUsage(options: BotUsageOptions = {}): UsageMeter {
  return new BotUsageMeter(options)
}

class BotUsageMeter implements UsageMeter {
  readonly #processes: ProcessMeter
  readonly #now: () => number
  readonly #timer: NodeJS.Timeout
  readonly #phaseMs = new Map<UsagePhase, number>()
  #phase: UsagePhase = 'starting'
  /** Until when the phases are counted; they begin with the process. */
  #countedTo = 0
  #received = 0
  #sent = 0
  #stored = 0
  #coreSeconds = 0
  #peakMemory: number | null = null
  #latest: UsageReading | null = null
  #reading: Promise<unknown> = Promise.resolve()

  constructor({
    processes = createProcessMeter(),
    now = () => performance.now(),
    readEveryMs = READ_EVERY_MS,
  }: BotUsageOptions) {
    this.#processes = processes
    this.#now = now
    this.#timer = setInterval(() => void this.read(), readEveryMs).unref()
    void this.read()
  }

  get latest(): UsageReading | null {
    return this.#latest
  }

  enter(phase: UsagePhase): void {
    this.#count()
    this.#phase = phase
  }

  noteTraffic(received: number, sent: number): void {
    this.#received += received
    this.#sent += sent
  }

  noteStored(bytes: number): void {
    this.#stored = Math.max(this.#stored, bytes)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** One after the other, since a percentage is over the time since the reading before. */
  read(withMemory = false): Promise<UsageReading> {
    const reading = this.#reading.then(async () => {
      const { cpuPercent, coreSeconds, memoryBytes } = await this.#processes.read(withMemory)
      this.#coreSeconds = Math.max(this.#coreSeconds, coreSeconds)
      if (memoryBytes !== null) this.#peakMemory = Math.max(this.#peakMemory ?? 0, memoryBytes)
      this.#latest = { cpuPercent, memoryBytes: memoryBytes ?? 0, usage: this.#usage() }
      return this.#latest
    })
    this.#reading = reading
    return reading
  }

  #count(): void {
    // Time that was counted is never taken back.
    const now = Math.max(this.#countedTo, this.#now())
    this.#phaseMs.set(this.#phase, (this.#phaseMs.get(this.#phase) ?? 0) + now - this.#countedTo)
    this.#countedTo = now
  }

  #usage(): BotUsage {
    this.#count()
    const seconds = (ms: number) => Math.round(ms) / 1000
    const phases = USAGE_PHASES.map((phase) => [
      phase,
      Math.min(seconds(this.#phaseMs.get(phase) ?? 0), MAX_PHASE_SECONDS),
    ])
    return {
      core_seconds: Math.min(seconds(this.#coreSeconds * 1000), MAX_CORE_SECONDS),
      peak_memory_bytes: this.#peakMemory === null ? null : Math.min(this.#peakMemory, MAX_MEMORY_BYTES),
      bytes_received: Math.min(Math.round(this.#received), MAX_TRAFFIC_BYTES),
      bytes_sent: Math.min(Math.round(this.#sent), MAX_TRAFFIC_BYTES),
      bytes_stored: Math.min(Math.round(this.#stored), MAX_TRAFFIC_BYTES),
      phase_seconds: Object.fromEntries(phases),
    }
  }
}
