/** Turns the page's labels into names of people: removes badges, recognizes placeholders. Pure. */
import { plain } from '../../shared/page/dom/visible-text.ts'

type Says = (label: string, text: string) => boolean

/** A person's label before the page knows the name: an identifier or the beginning of one. */
const IDENTIFIER = /^(?:\d+:[a-z]+[:.]|[0-9a-f]{8}-[0-9a-f]{4}-|[0-9a-f]{24,}$)/
/** An encoded identifier: letters of both cases and digits without a blank. */
const ENCODED = /^(?=\D*\d)[A-Za-z0-9+/_-]{20,128}={0,2}$/
/** A part of it that no hyphen divides is this long; names of rooms have shorter ones. */
const ENCODED_PART = /[A-Za-z0-9+/]{16,}/
const MAX_ENCODED_RUN = 3.3
const BADGE = /\s*\(([^()]+)\)$/
/** The second person of a name gets a number. */
const COLLISION = /\s+(?:\(\d{1,2}\)|\d{1,2})$/
const LONGEST = 256

/** Empty for a label that is no name: nothing, an identifier, a placeholder. */
export function nameOf(shown: string, says: Says): string {
  const name = withoutBadges(plain(shown).slice(0, LONGEST), says)
  return IDENTIFIER.test(name) || says('nobody', name) ? '' : name
}

/**
 * For a label that is not made for people: whether it looks like an identifier. Words have long runs of letters of one case;
 * an encoding changes between cases and digits all the time. A name that people see may look like one too.
 */
export function isEncoded(name: string): boolean {
  const [part] = (ENCODED.test(name) && ENCODED_PART.exec(name)) || []
  if (part === undefined) return false
  const runs = part.match(/[A-Z]*[a-z]+|[A-Z]+|\d+/g) ?? []
  return part.length < runs.length * MAX_ENCODED_RUN
}

/** A name that may be the bot's own, as the page changes it: badges, and a number if there are two. */
export function isOwnName(shown: string, botName: string, says: Says): boolean {
  const own = withoutBadges(plain(botName), says)
  const name = withoutBadges(plain(shown), says)
  return name === own || withoutBadges(name.replace(COLLISION, ''), says) === own
}

function withoutBadges(name: string, says: Says): string {
  for (let rest = name; ; ) {
    const badge = BADGE.exec(rest)
    if (!badge || !says('guest', badge[1]!)) return rest
    rest = rest.slice(0, badge.index).trim()
  }
}
