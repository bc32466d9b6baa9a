export const HEARTBEAT_EVERY_MS = 5_000

/** All in milliseconds. Tests change them; a bot uses these values. */
export const DEFAULT_TIMING = {
  heartbeatMs: HEARTBEAT_EVERY_MS,
  /** From dialing to an open WebSocket. */
  handshakeMs: 10_000,
  /** From `hello` to `welcome`. */
  welcomeMs: 10_000,
  /** For the acknowledgement that follows a welcome; a control plane that stores more slowly has still welcomed the bot. */
  acceptMs: 2_000,
  pingMs: 5_000,
  /** A link without any message for this long is dead, even without a close. */
  silenceMs: 20_000,
  /** For the peer to answer a polite close. */
  closeMs: 2_000,
  reconnectMinMs: 1_000,
  reconnectMaxMs: 30_000,
  /** A connection that lasted this long was a good one: the next failure is the first again. */
  settledMs: 10_000,
}

export type LinkTiming = Readonly<typeof DEFAULT_TIMING>
