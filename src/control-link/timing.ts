export const HEARTBEAT_EVERY_MS = 5_000

/** All in milliseconds. Tests change them; a bot uses these values. */
export interface LinkTiming {
  heartbeatMs: number
  /** From dialing to an open WebSocket. */
  handshakeMs: number
  /** From `hello` to `welcome`. */
  welcomeMs: number
  /** For the acknowledgement that follows a welcome; a control plane that stores more slowly has still welcomed the bot. */
  acceptMs: number
  pingMs: number
  /** A link without any message for this long is dead, even without a close. */
  silenceMs: number
  /** For the peer to answer a polite close. */
  closeMs: number
  reconnectMinMs: number
  reconnectMaxMs: number
  /** A connection that lasted this long was a good one: the next failure is the first again. */
  settledMs: number
}

export const DEFAULT_TIMING: Readonly<LinkTiming> = {
  heartbeatMs: HEARTBEAT_EVERY_MS,
  handshakeMs: 10_000,
  welcomeMs: 10_000,
  acceptMs: 2_000,
  pingMs: 5_000,
  silenceMs: 20_000,
  closeMs: 2_000,
  reconnectMinMs: 1_000,
  reconnectMaxMs: 30_000,
  settledMs: 10_000,
}
