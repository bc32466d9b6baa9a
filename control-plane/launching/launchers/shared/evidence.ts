/** Words about the end of a bot that all launchers use. */
import { constants as osConstants } from 'node:os'
import type { EndEvidence } from '../../../platform/ports.ts'

export const NEVER_STARTED = 'The bot was never started: the service ended before'

/** An end of which only the reason is known. */
export function endWithout(reason: string): EndEvidence {
  return { exitCode: null, signal: null, isOutOfMemory: false, reason, endedAt: null, logTail: null }
}

/** Reads the status of a shell or a container, which is the exit code, or 128 and the number of the signal. */
export function exitOf(status: number): { exitCode: number | null; signal: string | null; how: string } {
  const signal = Object.entries(osConstants.signals).find(([, number]) => number === status - 128)?.[0] ?? null
  return signal === null
    ? { exitCode: status, signal, how: `The bot ended with code ${status}` }
    : { exitCode: null, signal, how: `The bot was ended by ${signal}` }
}

export const outOfMemory = (how: string) => `${how}, after the kernel killed a process of it for lack of memory`

/** The engines write the year 1 if there is no time. */
export const knownTime = (time: Date | null) => (time !== null && time.getUTCFullYear() > 1970 ? time : null)
