/** The signals that a snapshot shows; the page notes those of its elements itself. */
import type { SignalOf } from '@standin/wire/page-signals.ts'
import { matches } from '../../shared/words.ts'
import type { PageSnapshot } from '../page/types.ts'
import { isFinalDialog, isFinalName, locationOf, waitingIn } from '../page-state.ts'
import { WORDS } from '../words.ts'

export function answeredBy(snapshot: PageSnapshot): (SignalOf<'zoom'> | false)[] {
  const { joining, waiting, lines, dialogs, dialogNames } = snapshot
  return [
    joining !== null && 'joining.layer',
    lines.some((line) => matches(WORDS.states.joining, line)) && 'joining.words',
    waiting !== null && 'waiting.room',
    waitingIn(waiting ?? lines) !== null && 'waiting.words',
    dialogs.some(({ text }) => matches(WORDS.dialogs.recording, text)) && 'recording.words',
    dialogNames.some(isFinalName) && 'out.dialog',
    dialogs.some(({ text }) => isFinalDialog(text)) && 'out.words',
    locationOf(snapshot) !== null && 'out.page',
  ]
}
