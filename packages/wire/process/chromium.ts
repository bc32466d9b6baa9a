/** The browser of bots. */

const DEBIAN_CHROMIUM = '/usr/bin/chromium'
/** Debian's package `chromium-headless-shell`: no window on any display, and a fifth less memory. */
const DEBIAN_SHELL = '/usr/bin/chromium-headless-shell'

/** What `STANDIN_CHROMIUM` names: a path, or the word `headless-shell`. Null: Debian's Chromium. */
export function chromiumOf({ STANDIN_CHROMIUM: named }: Readonly<Record<string, string | undefined>>): string | null {
  return named === 'headless-shell' ? DEBIAN_SHELL : named || null
}

/** The program to start: a shell without windows is of no use on a display, where Debian's Chromium takes its place. */
export function executableOf(chromium: string | null | undefined, isOnDisplay: boolean): string {
  if (!chromium || (isOnDisplay && chromium.endsWith('headless-shell'))) return DEBIAN_CHROMIUM
  return chromium
}
