/**
 * Waits of Microsoft Teams that differ from the usual ones (docs/platform-notes/microsoft-teams.md#timing).
 * Milliseconds.
 */
import type { Waits } from '../shared/waits.ts'

export const TEAMS_WAITS: Partial<Waits> = {
  /** Government hosts are slow to answer. */
  loadMs: 60_000,
  /** Five documents load one after the other before the page to join from, and slower on bad days. */
  preJoinMs: 150_000,
  unknownPageMs: 60_000,
  /** Two polls that agree, at least a second apart; the waiting room has no button to leave. */
  holdAfterLobbyMs: 2000,
  holdWithoutLobbyMs: 4000,
  holdWithRosterMs: 1200,
  /** The pane mounts late; a meeting without chat loses this much time at its beginning. */
  chatOpenMs: 6000,
  /** A connection that is lost for longer does not come back by itself. */
  reconnectMs: 60_000,
  unknownInCallMs: 60_000,
  /** A click that works has its effect within half a second to three seconds. */
  leaveMs: 3000,
}
