/** Which further bots a machine carries beside those that run, by what each of them is expected to take. Pure. */
import { RECORDING_MODES } from '@standin/wire/codes.ts'
import type { BotNeeds, Capacity, ModeCapacity, Need } from '../../../platform/ports.ts'

export interface Room {
  running: number
  /** For further bots together. */
  left: Need
}

export const MIB = 1024 ** 2
/** The share of the cores that bots may be expected to take, so that a bot can load its page beside the others. */
const CORES_SHARE = 0.9
/** Left to the service, its database and the system. */
const KEPT_BYTES = 512 * MIB
/** Where the operator says that bots take nothing. */
const MAX_COUNT = 10_000
/** Rounding errors of sums. */
const EPSILON = 1e-6

/** `open`: what each of the bots that run or are being started takes. */
export function roomOn(machine: Need, open: readonly Need[]): Room {
  const [cores, memoryBytes] = [sum(open.map((need) => need.cores)), sum(open.map((need) => need.memoryBytes))]
  return {
    running: open.length,
    left: {
      cores: Math.max(0, machine.cores * CORES_SHARE - cores),
      memoryBytes: Math.max(0, machine.memoryBytes - KEPT_BYTES - memoryBytes),
    },
  }
}

/** A machine that is too small for a bot carries it alone. */
export function countFitting(need: Need, { running, left }: Room): number {
  const times = (there: number, taken: number) => (taken === 0 ? MAX_COUNT : Math.floor((there + EPSILON) / taken))
  const count = Math.min(times(left.cores, need.cores), times(left.memoryBytes, need.memoryBytes), MAX_COUNT)
  return Math.max(running === 0 ? 1 : 0, count)
}

/** A number of bots that the operator gives counts alone. */
export function capacityOf(room: Room, needs: BotNeeds, maxBots: number | null): Capacity {
  if (maxBots !== null) return { free: Math.max(0, maxBots - room.running), limit: maxBots }
  const ofMode = (need: Need): ModeCapacity => {
    const free = countFitting(need, room)
    return free === 0 ? { free, reason: noRoomReason(need, room) } : { free }
  }
  const modes = {
    speaker_view: ofMode(needs.speaker_view),
    gallery_view: ofMode(needs.gallery_view),
    audio_only: ofMode(needs.audio_only),
  }
  const free = Math.max(...RECORDING_MODES.map((mode) => modes[mode].free))
  return { free, limit: room.running + free, modes }
}

/** Why the bot cannot be started now; null if it can. `where` ends the sentence about the limit. */
export function refusalOf(need: Need, room: Room, maxBots: number | null, where: string): string | null {
  if (maxBots !== null) return room.running >= maxBots ? limitReached(maxBots, where) : null
  return countFitting(need, room) === 0 ? noRoomReason(need, room) : null
}

export const limitReached = (limit: number, where: string) =>
  `${limit} ${limit === 1 ? 'bot runs' : 'bots run'} ${where}, its limit`

function noRoomReason(need: Need, { running, left }: Room): string {
  const others = running === 1 ? 'the bot that runs' : `the ${running} bots that run`
  return `The bot would take ${amount(need)}; ${amount(left)} are left beside ${others}`
}

const amount = ({ cores, memoryBytes }: Need) => `${cores.toFixed(2)} cores and ${Math.floor(memoryBytes / MIB)} MiB`

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
