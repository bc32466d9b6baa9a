import { describe, expect, test } from 'vitest'
import { silentLogger } from '../../../packages/core/logger.ts'
import { CaptionToggle } from '../../../platforms/shared/in-call/caption-toggle.ts'
import { CaptionRows } from '../../../platforms/shared/page/chat/caption-rows.ts'
import type { CommonSnapshot } from '../../../platforms/shared/page/types.ts'
import { HandClock } from '../../fakes/clock.ts'

/** Rows that a page shows, `Ann: so`, at a time; a report is `key name: text` and the time. */
function rowsOf(options?: ConstructorParameters<typeof CaptionRows>[1]) {
  const reported: string[] = []
  const rows = new CaptionRows(({ key, name, text, isFinal, at }) => {
    reported.push(`${key} ${name}: ${text}${isFinal ? ' (gone)' : ''} @${at}`)
  }, options)
  const elements = [{}, {}] as Element[]
  /** One look; the page has an element for each place. */
  const look = (at: number, ...shown: (string | null)[]) => {
    rows.update(
      shown.flatMap((row, place) => {
        if (row === null) return []
        const [name = '', text = ''] = row.split(': ')
        return [{ element: elements[place]!, name, text }]
      }),
      at,
    )
    return reported.splice(0)
  }
  return { rows, look }
}

describe('rows of captions', () => {
  test('are reported when they change, and once more when they are gone; another participant has another row', () => {
    const { look } = rowsOf()
    expect(look(1, 'Ann: ')).toEqual([])
    expect(look(2, 'Ann: so')).toEqual(['row-1 Ann: so @2'])
    expect(look(3, 'Ann: so')).toEqual([])
    expect(look(4, 'Ann: so the', 'Ben: yes')).toEqual(['row-1 Ann: so the @4', 'row-2 Ben: yes @4'])
    expect(look(5, null, 'Ben: yes')).toEqual(['row-1 Ann: so the (gone) @5'])
    expect(look(6, null, 'Ann: well')).toEqual(['row-3 Ann: well @6', 'row-2 Ben: yes (gone) @6'])
  })

  test('are cut at their beginning where they are long', () => {
    const [row] = rowsOf().look(1, `Ann: ${'x'.repeat(9000)} end`)
    expect(row!.length).toBeLessThan(4100)
    expect(row).toMatch(/ end @1$/)
  })

  test.each([
    [300, 'row-1'],
    [2000, 'row-2'],
  ])('that are drawn again after %i ms are %s: a short pause changes no row', (pauseMs, row) => {
    const { look } = rowsOf()
    look(1000, 'Ann: so the plan')
    expect(look(2000)).toEqual(['row-1 Ann: so the plan (gone) @2000'])
    look(2000 + pauseMs - 1)
    expect(look(2000 + pauseMs, null, 'Ann: so the plan is')).toEqual([`${row} Ann: so the plan is @${2000 + pauseMs}`])
  })

  test('that a channel may carry too wait for it, and are dropped when it speaks: no word is reported twice', () => {
    const { rows, look } = rowsOf({ mayHaveChannel: true })
    const before = [...look(1000, 'Ann: so'), ...look(2000, 'Ann: so the')]
    rows.leaveToChannel()
    expect([...before, ...look(9000, 'Ann: so the next')]).toEqual([])
  })

  test('are all reported where the channel stays silent, each with the time at which it was seen', () => {
    const { look } = rowsOf({ mayHaveChannel: true })
    expect([...look(60_000, 'Ann: so'), ...look(61_000, 'Ann: so the'), ...look(62_000)]).toEqual([])
    const all = ['row-1 Ann: so @60000', 'row-1 Ann: so the @61000', 'row-1 Ann: so the (gone) @62000']
    expect(look(63_000)).toEqual(all)
    expect(look(64_000, 'Ann: well')).toEqual(['row-2 Ann: well @64000'])
  })
})

describe('captions are kept on', () => {
  function keeper(takes: boolean[] | null) {
    const clock = new HandClock()
    const known: boolean[] = []
    let tries = 0
    const steps = takes && { turnOn: async () => takes[tries++] ?? false }
    const it = new CaptionToggle({ steps, clock, logger: silentLogger, onKnown: (areOn) => known.push(areOn) })
    /** As many looks, a second apart; the first of them may see a new document. */
    const look = async (count: number, captionsOn: boolean | null, isNewDocument = false) => {
      for (let index = 0; index < count; index++) {
        await it.update({ captionsOn } as CommonSnapshot, isNewDocument && index === 0)
        await clock.advance(1000)
      }
    }
    return { known, look, tries: () => tries }
  }

  test('a click that does nothing is made again after a while, and no click while they are on', async () => {
    const { known, look, tries } = keeper([true, true])
    await look(7, false)
    expect(tries()).toBe(2)
    await look(20, true)
    expect(tries()).toBe(2)
    expect(known).toEqual([true])
  })

  test('where the page shows nothing before a participant speaks, a click that the platform accepted is believed', async () => {
    const { known, look, tries } = keeper([false, true, true])
    await look(20, null)
    expect(tries()).toBe(2)
    await look(7, null, true)
    expect(tries()).toBe(3)
    expect(known).toEqual([true])
  })

  test('that cannot be turned on are reported as missing, once', async () => {
    const { known, look, tries } = keeper([])
    await look(60, false)
    expect(tries()).toBe(5)
    expect(known).toEqual([false])
    const without = keeper(null)
    await without.look(3, null)
    expect(without.known).toEqual([false])
  })
})
