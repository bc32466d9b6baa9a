/** Before the bot may ask to join: does everything up to the request, so that only the last press is left. */
import { BotError } from '../../../packages/core/errors.ts'
import type { AskGate } from '../../../packages/core/ports.ts'
import type { CommonSnapshot } from '../page/types.ts'
import { untilSilence } from '../page-access/no-answer.ts'
import type { PageState } from '../page-state.ts'
import type { JoinSteps } from './join-steps.ts'

/** The default for a driver without a gate. */
export const OPEN_GATE: AskGate = { isOpen: true, opened: Promise.resolve() }

/**
 * Opens the address and fills in the form until the gate opens. Does not ask to join, as every step of a platform that
 * asks checks the gate itself. A page that refuses before the time may still work later: it stays as it is until then,
 * and is opened again.
 */
export async function prepareAhead<Snapshot extends CommonSnapshot, Kind extends string>(
  entrance: JoinSteps<Snapshot, Kind>,
  signal: AbortSignal,
): Promise<void> {
  const { gate, logger } = entrance.page
  if (gate.isOpen) return entrance.open(signal)
  try {
    await entrance.open(signal)
    await fillIn(entrance, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof BotError) || gate.isOpen || gate.endsAtRefusal) throw error
    logger.info('The page is not ready ahead of time; it is opened again when the bot may ask', { error })
    await gate.opened
    await entrance.open(signal)
  }
}

/** Rejects with the page's refusal. */
async function fillIn<Snapshot extends CommonSnapshot, Kind extends string>(
  entrance: JoinSteps<Snapshot, Kind>,
  signal: AbortSignal,
): Promise<void> {
  const { page, classifier } = entrance
  const seen = new Set<Kind>()
  while (!page.gate.isOpen) {
    signal.throwIfAborted()
    const look = await page.poll()
    if (look) {
      const { snapshot } = look
      const state = classifier.stateOf(snapshot)
      entrance.note(state)
      const refusal = classifier.refusalOf(state, 'pre-join', seen)
      if (refusal) throw refusal
      seen.add(state.kind)
      await stepIn(entrance, snapshot, state)
    }
    await Promise.race([page.clock.sleep(page.waits.pollEveryMs, signal), page.gate.opened])
  }
}

/**
 * One poll of the page before the join: answers a dialog, or else does what the entrance needs next. A page that does not
 * answer a step is no failure here.
 */
export async function stepIn<Snapshot extends CommonSnapshot, Kind extends string>(
  entrance: JoinSteps<Snapshot, Kind>,
  snapshot: Snapshot,
  state: PageState<Kind>,
): Promise<void> {
  const { page, classifier, answers } = entrance
  const steps = async () => {
    const answered = await entrance.answerOpenDialog(snapshot)
    if (answered !== null || classifier.phases[state.kind] !== 'entrance') return
    const askingAt = page.clock.now()
    await entrance.ask(snapshot, state)
    if (entrance.hasAsked()) answers.asked(askingAt, page.clock.now())
  }
  await untilSilence(page.logger, steps())
}
