/** Whether breakout rooms are open, as the page shows it to a guest. */

import type { Elements } from './elements.ts'

export class BreakoutRooms {
  readonly #elements: Pick<Elements, 'first' | 'drawn'>
  /** The button of the rooms came later than the toolbar, or the bot was moved: the button is a sign of open rooms. */
  #isSign = false

  constructor(elements: Pick<Elements, 'first' | 'drawn'>) {
    this.#elements = elements
  }

  /** To be called at each poll. */
  areOpen(): boolean {
    const { first, drawn } = this.#elements
    const isMoving = drawn('roomLayer') !== null
    const hasButton = first('roomsButton') !== null
    // A host has the button at all times.
    this.#isSign ||= isMoving || (first('footer') !== null && !hasButton)
    return isMoving || (hasButton && this.#isSign)
  }
}
