/**
 * Runs at the start of every document of the meeting's tab, and of the frame in which the app's shell shows the meeting.
 * It keeps no name in the page.
 */
import { start } from './start.ts'
import type { PageConfig } from './types.ts'

/** Given by the driver, which wraps this script in a function of this parameter. */
declare const standinConfig: PageConfig

const isClientFrame = () => {
  try {
    return window.frameElement?.id === 'webclient'
  } catch {
    // A frame of another site.
    return false
  }
}

if (window.top === window || isClientFrame()) start(standinConfig)
