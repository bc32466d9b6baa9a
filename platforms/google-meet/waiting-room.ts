/** From the waiting room to the meeting; ends in admission or in the code of what happened instead. */
import { BotError } from '../../src/errors.ts'
import { languageNote } from './entry-steps.ts'
import type { Joining } from './join.ts'
import { refusalOf } from './outcomes.ts'
import { situationOf } from './situation.ts'

/** Resolves when the bot is in. Its own patience is the caller's: the wait ends with the signal. */
export async function waitForAdmission(joining: Joining, signal: AbortSignal): Promise<void> {
  const { page, judge, dialogs } = joining
  const { clock, waits } = page
  let unknownSince: number | null = null
  let captchaSince: number | null = null
  let callErrorSince: number | null = null
  let sawBlocked = false
  for (;;) {
    signal.throwIfAborted()
    const look = await page.look()
    if (look) {
      const now = clock.now()
      const situation = situationOf(look.signs)
      joining.note(situation)
      const { kind } = situation
      sawBlocked ||= kind === 'blocked'
      captchaSince = kind === 'captcha' ? (captchaSince ?? now) : null
      callErrorSince = kind === 'call_error' ? (callErrorSince ?? now) : null
      const isLost = kind === 'unknown' || kind === 'loading' || kind === 'green_room'
      unknownSince = isLost ? (unknownSince ?? now) : null
      const passes =
        (captchaSince !== null && now - captchaSince < waits.captchaMs) ||
        (callErrorSince !== null && now - callErrorSince < waits.callErrorMs)
      const refusal = passes ? null : refusalOf(situation, 'waiting', sawBlocked)
      if (refusal) throw refusal
      if (unknownSince !== null && now - unknownSince > waits.unknownPageMs)
        throw new BotError(
          'CANNOT_JOIN_MEETING',
          `The waiting room gave way to a page the bot does not know ("${situation.text}").${languageNote(look.signs)}`,
          { step: 'waiting', canRetry: true },
        )
      if (judge.observe(situation, now) === 'admitted') return
      // A click on the toolbar of the waiting room is never needed; dialogs are answered as everywhere.
      await dialogs.sweep(look.signs)
    }
    await clock.sleep(waits.lookEveryMs, signal)
  }
}
