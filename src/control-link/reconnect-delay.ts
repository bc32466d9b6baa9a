export const RECONNECT_MIN_MS = 1_000
export const RECONNECT_MAX_MS = 30_000

/**
 * How long to wait before attempt number `failures` + 1: 1–2 s, 2–4 s, … 15–30 s. The upper half is left to chance, so
 * that many bots do not come back to a control plane in the same moment.
 */
export function reconnectDelayMs(
  failures: number,
  random: () => number = Math.random,
  limits = { minMs: RECONNECT_MIN_MS, maxMs: RECONNECT_MAX_MS },
): number {
  const ceiling = Math.min(limits.maxMs, limits.minMs * 2 ** Math.max(1, failures))
  return Math.max(limits.minMs, Math.round(ceiling / 2 + (random() * ceiling) / 2))
}
