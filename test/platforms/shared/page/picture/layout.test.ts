import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  type LayoutRequest,
  layOut,
  type Place,
  type Rectangle,
} from '../../../../../platforms/shared/page/picture/layout.ts'

const people = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`)

function request(changed: Partial<LayoutRequest>): LayoutRequest {
  return {
    mode: 'gallery_view',
    width: 1280,
    height: 720,
    screenId: null,
    screenAspect: null,
    speakerId: null,
    standby: [],
    gallery: [],
    hiddenCount: 0,
    ...changed,
  }
}

const boxOf = ({ picture, caption }: Pick<Place, 'picture' | 'caption'>): Rectangle => ({
  ...picture,
  height: picture.height + caption.height,
})

const areaOf = ({ picture }: Place) => picture.width * picture.height

const overlap = (one: Rectangle, other: Rectangle) =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height

test('every place is in the window, in whole pixels, and covers no other, with any request', () => {
  const aspect = fc.double({ min: 0.2, max: 9, noNaN: true })
  const any = fc.record({
    mode: fc.constantFrom('gallery_view' as const, 'speaker_view' as const),
    width: fc.integer({ min: 640, max: 1920 }),
    height: fc.integer({ min: 360, max: 1080 }),
    screenId: fc.option(fc.constant('s')),
    screenAspect: fc.option(aspect),
    speakerId: fc.option(fc.constant('p0')),
    gallery: fc.integer({ min: 0, max: 24 }).map(people),
    hiddenCount: fc.nat(9),
  })
  fc.assert(
    fc.property(any, (given) => {
      // Beside a shared screen there are fewer places.
      const gallery = given.screenId === null ? given.gallery : given.gallery.slice(0, 11)
      const places = layOut(request({ ...given, gallery }))
      for (const [index, { picture, caption }] of places.entries()) {
        const box = boxOf({ picture, caption })
        expect(Math.min(box.x, box.y, picture.width - 1, picture.height - 1)).toBeGreaterThanOrEqual(0)
        expect(box.x + box.width).toBeLessThanOrEqual(given.width)
        expect(box.y + box.height).toBeLessThanOrEqual(given.height)
        expect(Object.values(picture).every(Number.isInteger)).toBe(true)
        for (const other of places.slice(index + 1)) expect(overlap(box, boxOf(other))).toBe(false)
      }
    }),
  )
})

describe('the gallery', () => {
  it.each(people(25).map((_, index) => index + 1))('places %i people without overlap', (count) => {
    const places = layOut(request({ gallery: people(count) }))
    expect(places.map(({ id }) => id)).toEqual(people(count))
    const [first] = places
    const { width, height } = first!.picture
    for (const { picture } of places) expect(picture).toMatchObject({ width, height })
    expect(Math.abs(width / height - 1.55)).toBeLessThan(0.25)
  })

  it('makes pictures smaller, never larger, when more people come', () => {
    const areas = people(25).map((_, index) => areaOf(layOut(request({ gallery: people(index + 1) }))[0]!))
    expect(areas).toEqual([...areas].sort((one, other) => other - one))
    expect(areas[0]).toBeGreaterThan(0.7 * 1280 * 720)
    expect(areas[24]).toBeGreaterThan(15_000)
  })

  it.each([
    [1, 1],
    [2, 2],
    [4, 2],
    [9, 3],
    [16, 4],
    [25, 5],
  ])('shows %i people in %i columns', (count, columns) => {
    const places = layOut(request({ gallery: people(count) }))
    expect(new Set(places.map(({ picture }) => picture.x)).size).toBe(columns)
  })

  it('centers a last row that is not full', () => {
    const [left, right, below] = layOut(request({ gallery: people(3) })).map(({ picture }) => picture)
    const middle = (left!.x + right!.x + right!.width) / 2
    expect(Math.abs(below!.x + below!.width / 2 - middle)).toBeLessThanOrEqual(1)
    expect(below!.y).toBeGreaterThan(left!.y)
  })

  it('shows in a separate place how many more there are', () => {
    const places = layOut(request({ gallery: people(24), hiddenCount: 6 }))
    expect(places).toHaveLength(25)
    expect(places.at(-1)?.id).toBeNull()
  })

  it.each([1, 2, 3, 4, 5, 8, 12])('puts a shared screen first and %i people beside it', (count) => {
    const places = layOut(request({ gallery: people(count), screenId: 's', screenAspect: 16 / 9 }))
    const [screen, ...others] = places
    expect(screen?.id).toBe('s')
    expect(others.map(({ id }) => id)).toEqual(people(count))
    expect(areaOf(screen!)).toBeGreaterThan(0.5 * 1280 * 720)
    for (const other of others) expect(other.picture.x).toBeGreaterThan(screen!.picture.x + screen!.picture.width)
  })

  it('gives a shared screen the whole picture when no participant has one', () => {
    expect(layOut(request({ screenId: 's' })).map(({ picture }) => picture.width > 1100)).toEqual([true])
  })
})

describe('the speaker view', () => {
  const view = (changed: Partial<LayoutRequest>) => layOut(request({ mode: 'speaker_view', ...changed }))

  it('shows the speaker alone, large', () => {
    const [speaker, ...others] = view({ speakerId: 'p1', gallery: people(4) })
    expect([speaker!.id, others]).toEqual(['p1', []])
    expect(areaOf(speaker!)).toBeGreaterThan(0.7 * 1280 * 720)
  })

  it('shows a shared screen first and the speaker small beside it', () => {
    const [screen, speaker, ...others] = view({ speakerId: 'p1', screenId: 's', screenAspect: 1.6, gallery: people(4) })
    expect(others).toEqual([])
    expect([screen?.id, speaker?.id]).toEqual(['s', 'p1'])
    expect(speaker!.picture.y).toBe(screen!.picture.y)
    expect(speaker!.picture.width).toBeLessThan(0.3 * screen!.picture.width)
  })

  it('shows a shared screen alone when there are no participants', () => {
    expect(view({ screenId: 's' }).map(({ id }) => id)).toEqual(['s'])
  })

  it('is empty when there are no participants, as the gallery is', () => {
    expect([layOut(request({})), view({})]).toEqual([[], []])
    expect(view({ standby: ['p2'] })).toEqual([])
  })

  it.each([null, 's'])('hides who may speak next entirely under the speaker (screen: %s)', (screenId) => {
    const places = view({ speakerId: 'p1', screenId, standby: ['p2', 'p3'] })
    const speaker = places.find(({ id }) => id === 'p1')!
    const below = places.filter(({ isStandby }) => isStandby)
    expect(below.map(({ id }) => id)).toEqual(['p2', 'p3'])
    for (const { picture, caption } of below) {
      expect(caption).toEqual(speaker.caption)
      expect(picture.x).toBeGreaterThan(speaker.picture.x)
      expect(picture.y).toBeGreaterThan(speaker.picture.y)
      expect(picture.x + picture.width).toBeLessThan(speaker.picture.x + speaker.picture.width)
      expect(picture.y + picture.height).toBeLessThan(speaker.picture.y + speaker.picture.height)
    }
  })

  it.each([0.2, 0.5, 4 / 3, 1.6, 16 / 9, 21 / 9, 9])('frames a screen of shape %d closely', (aspect) => {
    const places = view({ speakerId: 'p1', screenId: 's', screenAspect: aspect })
    const { width, height } = places[0]!.picture
    if (aspect >= 0.5 && aspect <= 3) expect(Math.abs(width / height - aspect)).toBeLessThan(0.02 * aspect)
    const gap = places[1]!.picture.x - (places[0]!.picture.x + width)
    expect(gap).toBeGreaterThan(0)
    expect(gap).toBeLessThan(30)
  })
})
