/**
 * A server that takes no writes any more, such as one that another server has replaced. The address may lead to the other
 * one by then, so connections that were made before are given up.
 */
import { EventEmitter } from 'node:events'

/** By the address of the database: when a statement was refused last, `performance.now()`. */
const refusedAt = new Map<string, number>()
/** Emits the address. */
const refusals = new EventEmitter().setMaxListeners(0)

export const isReadOnlyError = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === '25006'

export function reportReadOnly(url: string): void {
  refusedAt.set(url, performance.now())
  refusals.emit(url)
}

/** Whether a connection that was made then (`performance.now()`) leads to a server that has refused writes since. */
export const isGivenUp = (url: string, madeAt: number): boolean => madeAt <= (refusedAt.get(url) ?? -1)

/** Calls back each time that the database refuses a write. The result ends that. */
export function onReadOnly(url: string, act: () => void): () => void {
  refusals.on(url, act)
  return () => refusals.off(url, act)
}
