/**
 * The bar that the Leave button opens (docs/platform-notes/zoom.md#end-removal-and-leaving). For a host the red button
 * ends the meeting for all.
 */
import { h } from '../../shared/page/dom.ts'
import { type UiContext, zmButton } from './context.ts'
import { CLASS, TEXT } from './table.ts'

export interface LeaveBar {
  root: HTMLElement
  toggle(): void
  setHost(isHost: boolean): void
}

export function leaveBar({ words, say }: UiContext): LeaveBar {
  let isHost = false
  const options = h('div', { class: CLASS.leaveOptions })
  const root = h('div', { class: CLASS.leaveBar, hidden: true }, options)
  const hide = () => {
    root.hidden = true
  }
  const fill = () => {
    const end = zmButton({ class: CLASS.leaveDanger, 'aria-label': '' }, () => say({ say: 'leave', how: 'end' }))
    end.append(words(TEXT.endForAll))
    const kind = isHost ? CLASS.leaveDefault : CLASS.leaveDanger
    const leave = zmButton({ class: kind, 'aria-label': '' }, () => say({ say: 'leave', how: 'leave' }))
    leave.append(words(TEXT.leaveMeeting))
    const cancel = zmButton({ class: CLASS.leaveCancel }, hide, words(TEXT.cancel))
    options.replaceChildren(...(isHost ? [end, leave] : [leave]), cancel)
  }
  return {
    root,
    toggle() {
      fill()
      root.hidden = !root.hidden
    },
    setHost(next) {
      isHost = next
      fill()
    },
  }
}
