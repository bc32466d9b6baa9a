import { expect, it } from 'vitest'
import { placeVideo, placeVoices, type VideoSource } from '../../../../packages/mock/media/slots.ts'

const camera = (personId: string): VideoSource => ({ personId, kind: 'camera' })
const screen = (personId: string): VideoSource => ({ personId, kind: 'screen' })

it('leaves those who are placed where they are', () => {
  expect(placeVideo([camera('a'), null, camera('b')], [camera('b'), camera('c'), camera('a')])).toEqual([
    camera('a'),
    camera('c'),
    camera('b'),
  ])
  expect(placeVideo([camera('a'), camera('b')], [camera('b')])).toEqual([null, camera('b')])
})

it('gives a shared screen the slot of the last camera when all are taken', () => {
  expect(placeVideo([camera('a'), camera('b')], [screen('a'), camera('a'), camera('b')])).toEqual([
    camera('a'),
    screen('a'),
  ])
  expect(placeVideo([screen('a')], [screen('a'), screen('b')])).toEqual([screen('a')])
})

it('gives each voice a separate stream, and the fourth voice the first stream that becomes free', () => {
  let streams: string[][] = placeVoices([[], [], []], ['a', 'b', 'c', 'd'])
  expect(streams).toEqual([['a'], ['b'], ['c']])
  streams = placeVoices(streams, ['a', 'c', 'd'])
  expect(streams).toEqual([['a'], ['d'], ['c']])
  expect(placeVoices(streams, [])).toEqual([[], [], []])
})

it('puts all voices on a single stream, as far as their sources fit into the packets', () => {
  expect(placeVoices([[]], ['a', 'b'])).toEqual([['a', 'b']])
  const many = Array.from({ length: 20 }, (_, i) => String(i))
  expect(placeVoices([[]], many)[0]).toHaveLength(15)
})
