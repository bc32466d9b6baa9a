/**
 * Timing and environment of the suite: waits that fit a mock's pace, a capture environment without display and sound.
 */

import type { CaptureEnvironment } from '../../../packages/core/ports.ts'
import { REAL_WAITS, type Waits } from '../../../platforms/shared/waits.ts'

export const BOT_NAME = 'Notes for Ann'

/** Sound goes nowhere: no Pulse server is there, and Chromium runs without a display. */
export const SILENT_STAGE: CaptureEnvironment = {
  display: null,
  pulseServer: '/nonexistent/pulse',
  pulseSink: 'none',
  width: 1280,
  height: 720,
}

/** Waits for the page's own times shrink with it; waits for the machine stay. */
const SHRUNK: readonly (keyof Waits)[] = [
  'preJoinMs',
  'unknownPageMs',
  'joinClickMs',
  'holdAfterLobbyMs',
  'holdWithoutLobbyMs',
  'holdWithRosterMs',
  'captchaMs',
  'suspectedMs',
  'lobbyMs',
  'reconnectMs',
  'callErrorMs',
  'undecidedMs',
  'unknownInCallMs',
]

export function waitsAt(speed: number): Waits {
  const waits = { ...REAL_WAITS, pollEveryMs: 120, callPollEveryMs: 250 }
  for (const name of SHRUNK) waits[name] = Math.round(REAL_WAITS[name] / speed)
  // A slow machine needs its time to start the page's script, at any speed.
  waits.preJoinMs = Math.max(waits.preJoinMs, 60_000)
  waits.unknownPageMs = Math.max(waits.unknownPageMs, 45_000)
  waits.joinClickMs = Math.max(waits.joinClickMs, 2500)
  return waits
}

/** Waits for what has to become true; a page on a busy machine needs its time. */
export async function until(
  condition: () => boolean,
  what: string | (() => string),
  deadlineMs = 60_000,
): Promise<void> {
  const deadline = Date.now() + deadlineMs
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`It did not come about: ${typeof what === 'string' ? what : what()}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Resolves after so many more heartbeats: the page was looked at meanwhile, however slow the machine is. */
export async function heartbeats(events: readonly { type: string }[], count: number): Promise<void> {
  const beats = () => events.filter(({ type }) => type === 'heartbeat').length
  const before = beats()
  await until(() => beats() >= before + count, 'time goes by')
}
