/**
 * Resources that a bot used, of its final report and of its heartbeats. Every figure counts from the start of the bot's
 * process and never goes down; docs/control-link.md says what each counts and what it leaves out.
 */
import { z } from 'zod'

/**
 * Upper bounds, so that no report spoils the sums of a team: a thousand cores for a day, 4 TB of memory, 10 TB, and four
 * months. A real bot stays far below; the worker reports the bound where it does not.
 */
export const MAX_CORE_SECONDS = 100_000_000
export const MAX_MEMORY_BYTES = 4_000_000_000_000
export const MAX_TRAFFIC_BYTES = 10_000_000_000_000
export const MAX_PHASE_SECONDS = 10_000_000

/** Parts of a bot's life in their order; a bot may return to earlier ones. */
export const USAGE_PHASES = [
  /** From the start of the process: storage is checked, display and browser start. */
  'starting',
  'joining',
  'waiting_room',
  /** In the meeting, before the recording. */
  'in_call',
  'recording',
  'paused',
  /** From the first reason to end: the bot leaves, completes its files and stores them. */
  'finishing',
  /** A transcript is made after the meeting. */
  'transcribing',
] as const
export type UsagePhase = (typeof USAGE_PHASES)[number]

const bytes = z.int().min(0).max(MAX_TRAFFIC_BYTES)
const phaseSeconds = z.number().min(0).max(MAX_PHASE_SECONDS)

export const botUsageSchema = z.strictObject({
  core_seconds: z
    .number()
    .min(0)
    .max(MAX_CORE_SECONDS)
    .describe('Processor time of the process tree, ended processes included; one core for one second is 1.'),
  peak_memory_bytes: z
    .int()
    .min(0)
    .max(MAX_MEMORY_BYTES)
    .nullable()
    .describe('Highest reading of the memory of the process tree, shared pages counted once. Null if not measured.'),
  bytes_received: bytes.describe('By the browser: HTTP, WebSocket and WebRTC.'),
  bytes_sent: bytes.describe('By the browser: WebSocket and WebRTC, and bodies of HTTP requests.'),
  bytes_stored: bytes.describe('Of the files that are stored.'),
  phase_seconds: z
    .strictObject(
      Object.fromEntries(USAGE_PHASES.map((phase) => [phase, phaseSeconds])) as Record<UsagePhase, typeof phaseSeconds>,
    )
    .describe('Seconds in each phase; their sum is how long the process has run.'),
})
export type BotUsage = z.infer<typeof botUsageSchema>
