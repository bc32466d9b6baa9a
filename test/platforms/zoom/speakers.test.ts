import { describe, expect, test } from 'vitest'
import { MixedSound, NamelessSounds } from '../../../platforms/zoom/page/sound-owners.ts'
import { MarkJudge, newestMarks } from '../../../platforms/zoom/page/speakers.ts'

const LOUD = 0.2
const ann = { id: 'ann', isMuted: false }

describe('marks', () => {
  test('count from their second look on', () => {
    const judge = new MarkJudge()
    expect(judge.update([ann], 0)).toEqual([])
    expect(judge.update([ann], 250)).toEqual([{ id: 'ann', since: 0 }])
  })

  test('on a muted participant are ignored', () => {
    const judge = new MarkJudge()
    judge.update([{ ...ann, isMuted: true }], 0)
    expect(judge.update([{ ...ann, isMuted: true }], 250)).toEqual([])
  })

  test('that are older than another linger of the last speaker; those that came together are two who speak', () => {
    const older = { id: 'ann', since: 0 }
    expect(newestMarks([older, { id: 'bob', since: 2000 }])).toEqual([{ id: 'bob', since: 2000 }])
    expect(newestMarks([older, { id: 'bob', since: 250 }])).toHaveLength(2)
    expect(newestMarks([])).toEqual([])
  })
})

describe('sounds without a name', () => {
  const heard = (...userIds: number[]) => userIds.map((userId) => ({ userId, level: LOUD }))
  const ids = ({ samples }: ReturnType<NamelessSounds['round']>) =>
    samples.map(({ participantIds, heardForMs }) => [participantIds[0], heardForMs])

  test('are of who is marked soon after they began, from their beginning on', () => {
    const sounds = new NamelessSounds()
    expect(ids(sounds.round(heard(7), [], 1000))).toEqual([])
    expect(ids(sounds.round(heard(7), [{ id: 'bob', since: 1250 }], 1500))).toEqual([['bob', 500]])
    // The mark moves to another participant, but the sound still has the same owner.
    expect(ids(sounds.round(heard(7), [{ id: 'ann', since: 1700 }], 1900))).toEqual([['bob', 900]])
    expect(ids(sounds.round([{ userId: 7, level: 0 }], [{ id: 'bob', since: 1250 }], 2000))).toEqual([])
  })

  test('are not of who is marked from before, unless no new mark comes', () => {
    const sounds = new NamelessSounds()
    const lingering = [{ id: 'ann', since: 0 }]
    expect(ids(sounds.round(heard(7), lingering, 3000))).toEqual([])
    expect(ids(sounds.round(heard(7), lingering, 3500))).toEqual([])
    expect(ids(sounds.round(heard(7), lingering, 3900))).toEqual([['ann', 900]])
  })

  test('two at once, or two marks at once, identify no speaker', () => {
    const sounds = new NamelessSounds()
    for (let at = 0; at < 3000; at += 100)
      expect(ids(sounds.round(heard(7, 8), [{ id: 'ann', since: 0 }], at))).toEqual([])
    const other = new NamelessSounds()
    const both = ['ann', 'bob'].map((id) => ({ id, since: 0 }))
    for (let at = 0; at < 3000; at += 100) expect(ids(other.round(heard(7), both, at))).toEqual([])
  })

  test('a second sound belongs to another participant than the first', () => {
    const sounds = new NamelessSounds()
    for (let at = 100; at < 1000; at += 100) sounds.round(heard(7), [{ id: 'ann', since: 0 }], at)
    const marks = [
      { id: 'ann', since: 0 },
      { id: 'bob', since: 900 },
    ]
    expect(ids(sounds.round(heard(7, 8), marks, 1000))).toEqual([
      ['ann', 900],
      ['bob', 0],
    ])
  })

  test('become certain when they go with one mark often enough, and never with two in turn', () => {
    const sounds = new NamelessSounds()
    const certain = Array.from({ length: 20 }, (_, round) =>
      sounds.round(heard(7), [{ id: 'ann', since: 0 }], round * 100),
    ).map((answer) => answer.certain)
    expect(certain.slice(0, 19).every((pair) => pair === null)).toBe(true)
    expect(certain[19]).toEqual({ userId: 7, id: 'ann' })
    const shared = new NamelessSounds()
    for (let round = 0; round < 80; round++)
      expect(shared.round(heard(7), [{ id: round % 2 ? 'ann' : 'bob', since: 0 }], round * 100).certain).toBeNull()
  })
})

describe('one sound of all participants', () => {
  const ids = (samples: ReturnType<MixedSound['round']>) =>
    samples.map(({ participantIds, heardForMs, source }) => [participantIds[0], heardForMs, source])

  test('is of who is marked, from its beginning on', () => {
    const mix = new MixedSound()
    expect(ids(mix.round(LOUD, [], 1000))).toEqual([])
    expect(ids(mix.round(LOUD, [{ id: 'ann', since: 1250 }], 1500))).toEqual([['ann', 500, 'audio_level']])
    expect(ids(mix.round(0.001, [{ id: 'ann', since: 1250 }], 2000))).toEqual([])
  })

  test('continues while the page stalls, because the page has seen no silence', () => {
    const mix = new MixedSound()
    const marks = [{ id: 'ann', since: 0 }]
    for (let at = 100; at < 1000; at += 100) mix.round(LOUD, marks, at)
    expect(ids(mix.round(LOUD, marks, 2200)).map(([id]) => id)).toEqual(['ann'])
    mix.round(0, marks, 2300)
    mix.round(0, marks, 2800)
    expect(ids(mix.round(LOUD, marks, 2900))).toEqual([])
  })

  test('belongs also to a participant who is marked beside the first one, and only to those who still are marked', () => {
    const mix = new MixedSound()
    mix.round(LOUD, [{ id: 'ann', since: 0 }], 100)
    const marks = [
      { id: 'ann', since: 0 },
      { id: 'bob', since: 4000 },
    ]
    for (let at = 200; at < 4300; at += 100) mix.round(LOUD, marks.slice(0, 1), at)
    const both = ids(mix.round(LOUD, marks, 4300))
    expect(both.map(([id]) => id)).toEqual(['ann', 'bob'])
    expect(both[1]).toEqual(['bob', 300, 'audio_level'])
    expect(ids(mix.round(LOUD, marks.slice(1), 4400)).map(([id]) => id)).toEqual(['bob'])
  })
})
