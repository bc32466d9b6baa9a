/**
 * Looks at a meeting's page without recording it: fills in the form without asking to join, or joins, and says which signs
 * of the page were seen.
 */
import { missingIn, type PageCheck } from '@standin/wire/page-check.ts'
import { BotError } from '../../packages/core/errors.ts'
import type { Clock, MeetingDriver } from '../../packages/core/ports.ts'

const LOOK_EVERY_MS = 500
/** After everything was seen that has to be there, other signs may follow. */
const SETTLE_MS = 2_000

export interface CheckPlan {
  /** Signs that have to be there before and after the bot is in; each is a list of alternatives. */
  entrance: readonly (readonly string[])[]
  meeting: readonly (readonly string[])[]
  /** Whether the bot asks to join. */
  joins: boolean
  /** How long the page may take to show its form, people to admit the bot, and the meeting to show its signs. Milliseconds. */
  limitMs: number
  /** How long the bot stays in the meeting after all signs were seen there. Milliseconds. */
  stayMs: number
}

export type CheckFindings = Pick<PageCheck, 'state' | 'reached' | 'missing' | 'found' | 'pages' | 'signals' | 'error'>

/** Never rejects; the driver is left and closed. */
export async function checkPage(driver: MeetingDriver, plan: CheckPlan, clock: Clock): Promise<CheckFindings> {
  const found = new Set<string>()
  const stop = new AbortController()
  const gate = Promise.withResolvers<void>()
  const state = { isOpen: false, opened: gate.promise, endsAtRefusal: true }
  let failure: unknown = null
  let reached: PageCheck['reached'] = 'nothing'

  /** Gathers signs until `settleMs` after all of them were seen, or the time is over. Resolves with the missing ones. */
  async function gather(wanted: CheckPlan['entrance'], limitMs: number, settleMs: number): Promise<string[]> {
    const seen = new Set<string>()
    const began = clock.now()
    let completeAt: number | null = null
    for (;;) {
      for (const name of (await driver.census().catch(() => null))?.found ?? []) {
        found.add(name)
        seen.add(name)
      }
      const missing = missingIn(wanted, seen)
      completeAt = missing.length === 0 ? (completeAt ?? clock.now()) : null
      const isOver = failure !== null || clock.now() - began > limitMs
      if (isOver || (completeAt !== null && clock.now() - completeAt >= settleMs)) return missing
      await clock.sleep(LOOK_EVERY_MS)
    }
  }

  const joining = driver.join(stop.signal, state).then(async (admission) => {
    if (admission === 'waiting_room') await driver.waitForAdmission(stop.signal)
  })
  joining.catch((error) => {
    failure ??= error
  })
  let missing = await gather(plan.entrance, plan.limitMs, SETTLE_MS)
  if (missing.length === 0) reached = 'entrance'
  if (plan.joins && missing.length === 0 && failure === null) {
    Object.assign(state, { isOpen: true })
    gate.resolve()
    await Promise.race([joining.catch(() => {}), clock.sleep(plan.limitMs)])
    failure ??= driver.provenAt === null ? new Error('The bot was not admitted in time') : null
    if (failure === null) {
      reached = 'meeting'
      missing = await gather(plan.meeting, plan.limitMs, plan.stayMs)
    }
  }
  // Without the steps of the bot, which have no text of a page.
  const pages = driver.sightings.flatMap(({ seen }) => /^([a-z0-9 ]+):/.exec(seen)?.[1] ?? [])
  const verdict = judged(failure, missing, found, pages.at(-1)?.replaceAll(' ', '_') ?? '')
  const signals = driver.signalCounts
  stop.abort(new Error('The check is over'))
  if (plan.joins) await driver.leave()
  await driver.close()
  return { ...verdict, reached, missing, found: [...found].sort(), pages: [...new Set(pages)], signals: { ...signals } }
}

/** A page that keeps the bot out in known words, or that says in known words that it is another one, is not changed. */
function judged(
  failure: unknown,
  missing: readonly string[],
  found: ReadonlySet<string>,
  lastPage: string,
): Pick<PageCheck, 'state' | 'error'> {
  if (failure instanceof BotError) {
    const { code, reason = null } = failure
    return { state: reason === 'page_unknown' ? 'changed' : 'failed', error: { code, reason } }
  }
  // Such as a waiting room, or a meeting that has not begun.
  const isElsewhere = found.has(`states.${lastPage}`)
  if (failure !== null || (missing.length > 0 && isElsewhere))
    return { state: 'failed', error: { code: 'CANNOT_JOIN_MEETING', reason: null } }
  return { state: missing.length > 0 ? 'changed' : 'good', error: null }
}
