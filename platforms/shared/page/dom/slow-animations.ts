/**
 * Lets the page's endless animations move twice a second instead of with every frame: no person watches the page, and each
 * frame of them costs a painting. They still run, with the same events and the same changes of style, and nothing in the
 * page's elements or styles changes. Those that end by themselves are left alone, because pages wait for their end.
 */

const STEP_MS = 500

/** Holds for the document from now on, except for its shadow trees. */
export function slowAnimations(): void {
  const held = new Set<Animation>()
  let steppedAt = performance.now()
  let isLooking = false

  function hold(): void {
    isLooking = false
    for (const animation of document.getAnimations()) {
      // Others follow a scroll position, not the time.
      if (animation.timeline !== document.timeline || !isEndless(animation)) continue
      if (animation.playState !== 'running') continue
      animation.pause()
      held.add(animation)
    }
  }

  function step(): void {
    const passed = performance.now() - steppedAt
    steppedAt += passed
    for (const animation of held) {
      // The page has canceled it, or plays it itself.
      if (animation.playState !== 'paused') held.delete(animation)
      else animation.currentTime = Number(animation.currentTime) + passed * animation.playbackRate
    }
    // Animations by script begin without an event.
    hold()
  }

  /** Combines those that begin in one frame. */
  function holdSoon(): void {
    if (isLooking) return
    isLooking = true
    setTimeout(hold, 0)
  }

  window.addEventListener('animationstart', holdSoon, { capture: true, passive: true })
  setInterval(step, STEP_MS)
  hold()
}

function isEndless({ effect }: Animation): boolean {
  return effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY
}
