import { getPriority, setPriority } from 'node:os'

/**
 * What is recorded now goes first: this process gets a lower priority (nice 5), unless it has one already; only root may
 * raise it. The lowest one would starve beside a busy machine.
 */
export function giveWay(): void {
  setPriority(Math.max(5, getPriority()))
}
