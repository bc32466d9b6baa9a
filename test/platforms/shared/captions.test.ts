import { describe, expect, test } from 'vitest'
import { silentLogger } from '../../../core/logger.ts'
import { CaptionToggle } from '../../../platforms/shared/in-call/caption-toggle.ts'
import { type CaptionRow, CaptionRows, type ShownCaption } from '../../../platforms/shared/page/chat/caption-rows.ts'
import type { CommonSnapshot } from '../../../platforms/shared/page/types.ts'
import { HandClock } from '../../fakes/clock.ts'

describe('rows of captions', () => {
  const reported: CaptionRow[] = []
  const rows = new CaptionRows((row) => reported.push(row))
  const [one, two] = [{}, {}] as [Element, Element]
  const look = (...shown: [Element, string, string][]) => {
    rows.update(
      shown.map(([element, name, text]): ShownCaption => ({ element, name, text })),
      1000,
    )
    return reported
      .splice(0)
      .map(({ key, name, text, isFinal }) => `${key} ${name}: ${text}${isFinal ? ' (gone)' : ''}`)
  }

  test('are reported when they change, and once more when they are gone', () => {
    expect(look([one, 'Ann', ''])).toEqual([])
    expect(look([one, 'Ann', 'so'])).toEqual(['row-1 Ann: so'])
    expect(look([one, 'Ann', 'so'])).toEqual([])
    expect(look([one, 'Ann', 'so the'], [two, 'Ben', 'yes'])).toEqual(['row-1 Ann: so the', 'row-2 Ben: yes'])
    expect(look([two, 'Ben', 'yes'])).toEqual(['row-1 Ann: so the (gone)'])
  })

  test('whose element is used for another participant are other rows', () => {
    expect(look([two, 'Ann', 'well'])).toEqual(['row-3 Ann: well', 'row-2 Ben: yes (gone)'])
  })

  test('are cut at their beginning where they are long', () => {
    const [row] = look([two, 'Ann', `${'x'.repeat(9000)} end`])
    expect(row!.length).toBeLessThan(4100)
    expect(row).toMatch(/ end$/)
  })
})

test.each([
  { pauseMs: 300, shown: ['row-1: so the plan is'] },
  { pauseMs: 2_000, shown: ['row-2: so the plan is'] },
])('a list of captions that is drawn again after $pauseMs ms: a short pause changes no row', ({ pauseMs, shown }) => {
  const reported: string[] = []
  const rows = new CaptionRows(({ key, text, isFinal }) => reported.push(`${key}: ${text}${isFinal ? ' (gone)' : ''}`))
  const show = (text: string, at: number) => rows.update([{ element: {} as Element, name: 'Ann', text }], at)
  show('so the plan', 1000)
  rows.update([], 2000)
  expect(reported.splice(0)).toEqual(['row-1: so the plan', 'row-1: so the plan (gone)'])
  rows.update([], 2000 + pauseMs - 1)
  show('so the plan is', 2000 + pauseMs)
  expect(reported).toEqual(shown)
})

describe('rows of captions that a channel may carry too', () => {
  function page() {
    const reported: CaptionRow[] = []
    const rows = new CaptionRows((row) => reported.push(row), { mayHaveChannel: true })
    const element = {} as Element
    return {
      rows,
      say: (text: string, at: number) => rows.update(text === '' ? [] : [{ element, name: 'Ann', text }], at),
      reported: () => reported.splice(0).map(({ text, isFinal, at }) => `${at}: ${text}${isFinal ? ' (gone)' : ''}`),
    }
  }

  test('wait for the channel, and are dropped when it speaks: no word is reported twice', () => {
    const { rows, say, reported } = page()
    say('so', 1000)
    say('so the', 2000)
    rows.leaveToChannel()
    say('so the next', 9000)
    expect(reported()).toEqual([])
  })

  test('are all told where it stays silent, each with the time at which it was seen', () => {
    const { say, reported } = page()
    say('so', 60_000)
    say('so the', 61_000)
    say('', 62_000)
    expect(reported()).toEqual([])
    say('', 63_000)
    expect(reported()).toEqual(['60000: so', '61000: so the', '62000: so the (gone)'])
    say('well', 64_000)
    expect(reported()).toEqual(['64000: well'])
  })
})

describe('captions are kept on', () => {
  function keeper(takes: boolean[] | null) {
    const clock = new HandClock()
    const known: boolean[] = []
    let tries = 0
    const steps = takes && { turnOn: async () => takes[tries++] ?? false }
    const it = new CaptionToggle({ steps, clock, logger: silentLogger, onKnown: (areOn) => known.push(areOn) })
    const look = async (captionsOn: boolean | null, isNewDocument = false) => {
      await it.update({ captionsOn } as CommonSnapshot, isNewDocument)
      await clock.advance(1000)
    }
    return { known, look, tries: () => tries }
  }

  test('a click that does nothing is made again after a while, and no click while they are on', async () => {
    const { known, look, tries } = keeper([true, true])
    for (let second = 0; second < 7; second++) await look(false)
    expect(tries()).toBe(2)
    for (let second = 0; second < 20; second++) await look(true)
    expect(tries()).toBe(2)
    expect(known).toEqual([true])
  })

  test('where the page shows nothing before a participant speaks, a click that the platform accepted is believed', async () => {
    const { known, look, tries } = keeper([false, true, true])
    for (let second = 0; second < 20; second++) await look(null)
    expect(tries()).toBe(2)
    await look(null, true)
    for (let second = 0; second < 6; second++) await look(null)
    expect(tries()).toBe(3)
    expect(known).toEqual([true])
  })

  test('that cannot be turned on are reported as missing, once', async () => {
    const { known, look, tries } = keeper([])
    for (let second = 0; second < 60; second++) await look(false)
    expect(tries()).toBe(5)
    expect(known).toEqual([false])
    const without = keeper(null)
    for (let second = 0; second < 3; second++) await without.look(null)
    expect(without.known).toEqual([false])
  })
})
