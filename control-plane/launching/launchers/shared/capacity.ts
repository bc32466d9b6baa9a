/** Which further bots a machine carries beside those that run, by what each of them takes. Pure. */
import type { Need, Packing } from '../../../ports.ts'
import { MIB } from './needs.ts'

export interface Machine {
  cores: number
  totalBytes: number
  /** Free for further bots; null if that is only known from what bots are expected to take. */
  availableBytes: number | null
}

export interface OpenBot {
  /** Expected when it was started. */
  need: Need
  /** Its last report; null before that. */
  used: Need | null
  /** It was started just now, and has not taken its memory yet. */
  isYoung: boolean
}

/** Left to the service, its database and the system. */
const KEPT_BYTES = 512 * MIB
/** A bot that reports more than so many times what was expected does not get more room for it. */
const MAX_OVERUSE = 2
/** Rounding errors of sums. */
const EPSILON = 1e-6

/** `target`: the share of the cores that bots may be expected to take. */
export function packingOn(machine: Machine, open: readonly OpenBot[], target: number): Packing {
  const taken = open.map(takenBy)
  const cores = machine.cores * target - sum(taken.map(({ cores }) => cores))
  const memoryBytes =
    machine.availableBytes === null
      ? machine.totalBytes - sum(taken.map(({ memoryBytes }) => memoryBytes))
      : machine.availableBytes - sum(open.map(yetToTake))
  return {
    running: open.length,
    left: { cores: Math.max(0, cores), memoryBytes: Math.max(0, memoryBytes - KEPT_BYTES) },
    most: { cores: machine.cores, memoryBytes: Math.max(0, machine.totalBytes - KEPT_BYTES) },
  }
}

/** By actual use if that is larger. */
function takenBy({ need, used }: OpenBot): Need {
  const actual = (value: number, expected: number) => Math.max(expected, Math.min(value, MAX_OVERUSE * expected))
  return {
    cores: actual(used?.cores ?? 0, need.cores),
    memoryBytes: actual(used?.memoryBytes ?? 0, need.memoryBytes),
  }
}

function yetToTake({ need, used, isYoung }: OpenBot): number {
  if (used === null) return isYoung ? need.memoryBytes : 0
  return Math.max(0, need.memoryBytes - used.memoryBytes)
}

const isWithin = (need: Need, room: Need) =>
  need.cores <= room.cores + EPSILON && need.memoryBytes <= room.memoryBytes + EPSILON

/** Whether the machine is too small for the bot even without any other one. */
export const neverFits = (need: Need, { most }: Packing) => !isWithin(need, most)

/** A bot without others disturbs none: it is started even if other programs take much of the machine. */
export function fits(need: Need, packing: Packing): boolean {
  if (neverFits(need, packing)) return false
  return packing.running === 0 || isWithin(need, packing.left)
}

/** How many further bots that take so much can be started. */
export function countFitting(need: Need, packing: Packing): number {
  if (!fits(need, packing)) return 0
  const { cores, memoryBytes } = packing.left
  const count = Math.min(
    Math.floor((cores + EPSILON) / need.cores),
    Math.floor((memoryBytes + EPSILON) / need.memoryBytes),
  )
  return Math.max(packing.running === 0 ? 1 : 0, count)
}

/** Bots at once and how many more, as a launcher reports it. `needs`: of every kind of bot. */
export function capacityOf(packing: Packing, needs: readonly Need[], maxBots: number | null) {
  const places = maxBots === null ? Number.POSITIVE_INFINITY : Math.max(0, maxBots - packing.running)
  const free = Math.min(places, Math.max(...needs.map((need) => countFitting(need, packing))))
  const reason = free === 0 && places > 0 ? { reason: fullReason(packing) } : {}
  return { free, limit: packing.running + free, ...reason, packing }
}

export const limitReached = (limit: number, where: string) =>
  `${limit} ${limit === 1 ? 'bot runs' : 'bots run'} ${where}, its limit`

function fullReason({ running, left }: Packing): string {
  return `${amount(left)} are left beside ${running === 1 ? 'the bot that runs' : `the ${running} bots that run`}, too little for another one`
}

export function noRoomReason(need: Need, { running, left }: Packing): string {
  const others = running === 1 ? 'the bot that runs' : `the ${running} bots that run`
  return `The bot would take ${amount(need)}; ${amount(left)} are left beside ${others}`
}

export function neverFitsReason(need: Need, { most }: Packing): string {
  return `The bot would take ${amount(need)}; the machine of the launcher has ${amount(most)} for bots`
}

const amount = ({ cores, memoryBytes }: Need) => `${cores.toFixed(2)} cores and ${Math.floor(memoryBytes / MIB)} MiB`

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
