/** Finds the name box and the button that joins, by words in the known languages and by structure in others. */

import { isVisible, plain } from '../../shared/page/dom/visible-text.ts'
import { signalNotes } from '../../shared/page/signals.ts'
import type { Controls } from './controls.ts'
import type { JoinRank } from './types.ts'

const signals = signalNotes<'meet'>()

/** Longer labels are sentences, not buttons that join. */
const MAX_JOIN_LABEL = 48

export interface JoinButton {
  element: Element
  label: string
  rank: JoinRank
}

export function createJoinControls(
  { says, select, all, label, inDialog, clickable }: Controls,
  joinLabels: readonly string[],
): { nameBox(): Element | null; join(): JoinButton | null } {
  function nameBox(): Element | null {
    const free = (element: Element) => !inDialog(element) && isVisible(element)
    const boxes = all('anyTextBox').filter(free)
    return signals.first('name_box', {
      mark: all('nameBox').find(free) ?? null,
      label: boxes.find((box) => says('yourName', box.getAttribute('aria-label') ?? '')) ?? null,
      only_box: boxes.length === 1 ? boxes[0]! : null,
    })
  }

  function join(): JoinButton | null {
    const buttons = clickable()
      .filter((element) => !inDialog(element) && isVisible(element))
      .map((element) => ({ element, label: label(element) }))
      .filter(({ label: text }) => !says('switchHere', text) && !says('askAgain', text) && !says('rejoin', text))
    // The order of the words is the order of preference.
    const [first] = joinLabels.flatMap((source) =>
      buttons.filter(({ label: text }) => new RegExp(source, 'iu').test(plain(text))),
    )
    if (first) return { ...first, rank: 'label' }
    const named = buttons.find(({ element }) => element.matches(select('joinByName')))
    if (named) return { ...named, rank: 'jsname' }
    const hasIcon = (element: Element) => element.querySelector(select('icon')) !== null
    const isMenu = (element: Element) => element.hasAttribute('aria-haspopup')
    const worded = buttons.filter(({ element, label: text }) => says('joinWording', text) && !isMenu(element))
    if (worded[0]) return { ...worded[0], rank: 'wording' }
    // In an unknown language: the one plain text button beside the name box.
    if (nameBox() === null) return null
    const plainOnes = buttons.filter(
      ({ element, label: text }) =>
        element.matches('button[jsname]:not([aria-label])') &&
        element.querySelector('span') !== null &&
        !hasIcon(element) &&
        !isMenu(element) &&
        text !== '' &&
        text.length <= MAX_JOIN_LABEL,
    )
    return plainOnes.length === 1 ? { ...plainOnes[0]!, rank: 'structure' } : null
  }

  return { nameBox, join }
}
