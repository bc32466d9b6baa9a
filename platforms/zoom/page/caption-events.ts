/** Captions as the page shows them. Their rows have initials and no names. */
import { CaptionRows } from '../../shared/page/chat/caption-rows.ts'
import type { PageEvent } from '../../shared/page/types.ts'
import type { Elements } from './elements.ts'
import type { Roster } from './roster.ts'

type People = Pick<Roster, 'present'>

export function createCaptionEvents(
  { all, first }: Pick<Elements, 'all' | 'first'>,
  people: People,
  emit: (event: PageEvent) => void,
) {
  const rows = new CaptionRows((row) => {
    emit({ type: 'caption', participantId: people.present().find(({ name }) => name === row.name)?.id ?? null, ...row })
  })

  /** The row is the largest element around the text that has no other text. */
  function initialsBeside(text: Element): string {
    for (let around = text.parentElement; around; around = around.parentElement) {
      if (all('captionText', around).length > 1) return ''
      const shown = first('captionInitials', around)?.textContent?.trim()
      if (shown) return shown
    }
    return ''
  }

  return {
    read(at: number): void {
      // A row hides ten seconds after its last change, and stays in the page.
      const shown = all('captionText')
        .filter((element) => element.checkVisibility())
        .map((element) => ({
          element,
          name: nameOfInitials(initialsBeside(element), people.present()),
          text: element.textContent ?? '',
        }))
      rows.update(shown, at)
    },
  }
}

/** The name of the only person with these initials; empty if there is none, or more than one. */
function nameOfInitials(initials: string, people: readonly { name: string }[]): string {
  if (initials === '') return ''
  const wanted = initials.toUpperCase()
  const fitting = people.filter(({ name }) => {
    const [one = '', ...others] = name.split(/\s+/).map((word) => [...word][0]?.toUpperCase() ?? '')
    return [one, one + (others[0] ?? ''), one + (others.at(-1) ?? '')].includes(wanted)
  })
  return fitting.length === 1 ? fitting[0]!.name : ''
}
