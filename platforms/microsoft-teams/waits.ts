/**
 * Where Microsoft Teams takes its time differently from what is usual (docs/platform-notes/microsoft-teams.md#timing).
 * Milliseconds.
 */
import type { Waits } from '../shared/waits.ts'

export const TEAMS_WAITS: Partial<Waits> = {
  /** Government hosts are slow to answer. */
  loadMs: 60_000,
  /** Five documents one after the other before there is a page to join from, and slower on bad days. */
  preJoinMs: 150_000,
  unknownPageMs: 60_000,
  /** Two looks that agree, at least a second apart; the waiting room has no button to leave. */
  holdAfterLobbyMs: 2000,
  holdWithoutLobbyMs: 4000,
  holdWithRosterMs: 1200,
  /** The pane mounts late; a meeting without chat costs this much of its beginning. */
  chatOpenMs: 6000,
  /** A network that is away for longer does not come back by itself. */
  reconnectMs: 60_000,
  unknownInCallMs: 60_000,
  /** A click that works shows within half a second to three. */
  leaveMs: 3000,
}
