/**
 * Which kinds of due bots a machine takes next, if not all of them fit. Pure.
 *
 * A bot that fits may overtake one that does not, but not for ever. For a minute bots that fit are started as they come.
 * Then no bot is started until the one that waits longest has room: for ten minutes at most, since room may be far.
 * Then the others have a minute again. Each further reservation is twice as long as the one before, so in the end it is long
 * enough for every bot, and no bot waits behind a reservation for longer than that bot has waited itself.
 */
import type { Need, Packing } from '../../ports.ts'
import { fits, neverFits, noRoomReason } from '../launchers/shared/capacity.ts'
import type { BotKind } from '../launchers/shared/needs.ts'

const OVERTAKEN_SECONDS = 60
const FIRST_RESERVATION_SECONDS = 600

const KEPT = 'The next room is kept for a larger bot that has waited longer'

/** The bot of its kind that has waited longest. */
export interface QueueHead extends BotKind {
  waitedSeconds: number
}

export interface Choice {
  /** Kinds that are started now. */
  kinds: BotKind[]
  /** Kinds that are too big for this machine: a start refuses them with the reason. */
  tooBig: BotKind[]
  /** Why bots of the other kinds wait. */
  waits: (BotKind & { reason: string })[]
}

/** Whether the room is kept for a bot that has waited so long. */
export function isReserved(waitedSeconds: number): boolean {
  let [from, length] = [OVERTAKEN_SECONDS, FIRST_RESERVATION_SECONDS]
  while (from + length <= waitedSeconds) {
    from += length + OVERTAKEN_SECONDS
    length *= 2
  }
  return waitedSeconds >= from
}

export function chooseKinds(packing: Packing, heads: readonly QueueHead[], needOf: (kind: BotKind) => Need): Choice {
  const choice: Choice = { kinds: [], tooBig: [], waits: [] }
  let isKept = false
  // Those that wait longer first: room is kept from shorter waits only.
  for (const { mode, platform, waitedSeconds } of heads.toSorted((a, b) => b.waitedSeconds - a.waitedSeconds)) {
    const [kind, need] = [{ mode, platform }, needOf({ mode, platform })]
    if (neverFits(need, packing)) choice.tooBig.push(kind)
    else if (!fits(need, packing)) {
      isKept ||= isReserved(waitedSeconds)
      choice.waits.push({ ...kind, reason: noRoomReason(need, packing) })
    } else if (isKept) choice.waits.push({ ...kind, reason: KEPT })
    else choice.kinds.push(kind)
  }
  return choice
}
