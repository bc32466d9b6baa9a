/**
 * Reads the participants panel. Its list is virtual: only rows in view are in the page. So a long list is scrolled, one
 * page at every poll, until all of it was seen.
 */
import { plain, textWithout } from '../../shared/page/dom/visible-text.ts'
import type { Elements } from './elements.ts'

export interface SeenRow {
  name: string
  isSelf: boolean
  isHost: boolean
}

/** All people in the list, each once. */
export interface SeenList {
  rows: SeenRow[]
  /** All rows were in the page at one time, so no person can have come and gone meanwhile. */
  isOneLook: boolean
}

/** Index in the id, such as `participants-list-3`. */
const ROW_INDEX = /-(\d+)$/
/** A walk that does not come to an end starts over. */
const MAX_STEPS = 400

export function createPeoplePanel(elements: Elements) {
  let walk: { rows: Map<number, SeenRow>; count: number; steps: number } | null = null

  function readRow(row: Element): SeenRow {
    const parts = (row.getAttribute('aria-label') ?? '').split(',')
    const shown = elements.first('personName', row)
    const badge = plain(elements.first('personLabel', row)?.textContent ?? '')
    const roles = rolesOf(badge, elements)
    // A name may contain commas and brackets, so the label counts only if no element contains just the name.
    const name = shown
      ? plain(textWithout(shown, elements.selector('icon')))
      : plain((parts[0] ?? '').replace(/\s*\([^()]*\)\s*$/, ''))
    return { name, isSelf: roles.includes('me'), isHost: roles.includes('host') }
  }

  return {
    /**
     * One poll. The whole list when this poll completed it, otherwise null. `count`: number of people, as the page says.
     */
    poll(count: number | null): SeenList | null {
      const list = elements.drawn('peopleList')
      const found = list ? elements.all('personRow', list) : []
      if (!list || found.length === 0) {
        walk = null
        return null
      }
      const indexed = found.map((row, order): [number, SeenRow] => {
        const index = ROW_INDEX.exec(row.id)?.[1]
        return [index === undefined ? order : Number(index), readRow(row)]
      })
      const total = count ?? found.length
      if (new Set(indexed.map(([index]) => index)).size >= total) {
        walk = null
        return { rows: inOrder(indexed).slice(0, total), isOneLook: true }
      }
      // All rows move when a person comes or goes, so a walk counts only if the number stayed the same.
      if (!walk || walk.count !== total || walk.steps > MAX_STEPS) walk = { rows: new Map(), count: total, steps: 0 }
      walk.steps++
      for (const [index, row] of indexed) walk.rows.set(index, row)
      if (walk.rows.size >= total) {
        const rows = inOrder([...walk.rows])
        walk = null
        return { rows, isOneLook: false }
      }
      turnPage(list)
      return null
    },
  }
}

function inOrder(rows: readonly [number, SeenRow][]): SeenRow[] {
  return [...new Map([...rows].sort(([one], [other]) => one - other)).values()]
}

/** Scrolls to the next page of the list, from its end to the beginning. */
function turnPage(list: Element): void {
  const scrolled = [list, ...list.querySelectorAll('*'), ...ancestorsOf(list)].find(
    (element) => element.scrollHeight > element.clientHeight + 2 && element.clientHeight > 0,
  )
  if (!scrolled) return
  const isAtEnd = scrolled.scrollTop + scrolled.clientHeight >= scrolled.scrollHeight - 2
  scrolled.scrollTop = isAtEnd ? 0 : scrolled.scrollTop + Math.max(40, scrolled.clientHeight - 44)
}

function ancestorsOf(element: Element): Element[] {
  const parent = element.parentElement
  return parent && parent !== document.body ? [parent, ...ancestorsOf(parent)] : []
}

/** Roles in the label after a name, such as "(Host, me)". */
function rolesOf(badge: string, { says }: Elements): ('me' | 'host')[] {
  const inner = /^[(（](.*)[)）]$/.exec(badge)?.[1] ?? badge
  return inner
    .split(/[,、，]/)
    .map((part) => part.trim())
    .flatMap((part): ('me' | 'host')[] => (says('me', part) ? ['me'] : says('host', part) ? ['host'] : []))
}
