/**
 * Random edits of a calendar: a client that follows its changes always has the state that a full reading would show.
 */
import { randomOf } from '@standin/mock/shared/page/random.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect, Follower, HOUR, openWorld, WINDOW } from './world.ts'

let world: Awaited<ReturnType<typeof openWorld>>
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

/** The same seed, the same edits. */
function choicesOf(seed: number) {
  const random = randomOf(seed)
  const below = (count: number) => random.int(0, count - 1)
  return { below, of: <T>(items: readonly T[]): T | undefined => items[below(items.length)] }
}

const LINKS = ['https://zoom.us/j/12345678901?pwd=a', 'https://meet.google.com/abc-defg-hij', null]

type Calendar = Awaited<ReturnType<typeof connect>>['calendar']

/** Returns what was done, for the message of a failure. */
function edit(calendar: Calendar, random: ReturnType<typeof choicesOf>): string {
  const somewhere = () => new Date(WINDOW.start.getTime() + (random.below(40 * 24) - 5 * 24) * HOUR)
  const instance = random.of(calendar.between(WINDOW.start, WINDOW.end).filter(({ existence }) => existence === 'live'))
  const what = random.below(12)
  if (instance === undefined || what < 3) {
    const repeats = random.of([undefined, undefined, { every: 'day' as const, count: 5 }, { every: 'week' as const }])
    const id = calendar.create({
      title: `E${calendar.revision}`,
      start: somewhere(),
      link: random.of(LINKS) ?? null,
      ...(repeats && { repeats }),
      ...(random.below(2) === 0 && { organizer: { email: 'bo@example.com' }, answer: 'accepted' as const }),
    })
    return `create ${id} ${repeats?.every ?? 'once'}`
  }
  const { id } = instance.event
  const original = instance.originalStart ?? undefined
  const one = random.below(2) === 0 ? original : undefined
  const name = `${id} ${one?.toISOString() ?? ''}`
  switch (what) {
    case 3:
    case 4:
      calendar.move(id, somewhere(), undefined, one)
      return `move ${name}`
    case 5:
      calendar.change(id, { title: `T${calendar.revision}` }, one)
      return `rename ${name}`
    case 6:
      calendar.change(id, { link: random.of(LINKS) ?? null }, one)
      return `link ${name}`
    case 7:
      calendar.cancel(id, one)
      return `cancel ${name}`
    case 8:
      calendar.delete(id, one)
      return `delete ${name}`
    case 9:
    case 10:
      if (instance.answer === null) return 'nothing'
      calendar.respond(id, instance.answer === 'declined' ? 'accepted' : 'declined', one)
      return `respond ${name}`
    default:
      if (original === undefined) return 'nothing'
      calendar.split(id, original, { title: `S${calendar.revision}`, start: new Date(original.getTime() + HOUR) })
      return `split ${id} ${original.toISOString()}`
  }
}

describe.each(['google', 'microsoft'] as const)('%s', (platform) => {
  test.each(Array.from({ length: 8 }, (_, index) => index + 1))('seed %i', { timeout: 120_000 }, async (seed) => {
    const random = choicesOf(seed)
    const standIn = world[platform]
    standIn.limitPages(random.below(2) === 0 ? 2 : 1000)
    if (platform === 'microsoft') world.microsoft.views.faults.stubInstances = random.below(2) === 0
    const { calendar, since, all } = await connect(world.providers[platform], standIn)
    const follower = new Follower((cursor) => since(cursor))
    const story: string[] = []
    for (let round = 0; round < 12; round++) {
      for (let count = random.below(4); count >= 0; count--) story.push(edit(calendar, random))
      const isInside = ({ start, end }: { start: Date; end: Date }) => start < WINDOW.end && end > WINDOW.start
      await follower.follow()
      const fresh = new Follower(() => all())
      await fresh.follow()
      const known = (of: Follower) =>
        [...of.events.values()]
          .filter((event) => event.status !== 'cancelled' && isInside(event))
          .map(({ providerId, title, start, end, meetingUrl, isException, seriesProviderId }) =>
            JSON.stringify({ providerId, title, start, end, meetingUrl, isException, seriesProviderId }),
          )
          .sort()
      expect(known(follower), story.join('\n')).toEqual(known(fresh))
      const truth = calendar
        .between(WINDOW.start, WINDOW.end)
        .filter(({ existence, answer }) => existence === 'live' && answer !== 'declined')
        .map(({ title, start }) => `${start.toISOString().slice(5, 16)} ${title}`)
      expect(fresh.agenda.sort(), story.join('\n')).toEqual(truth.sort())
    }
  })
})
