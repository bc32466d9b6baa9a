import { expect, test } from 'vitest'
import { MarkJudge, SoundOwners } from '../../../platforms/zoom/page/speakers.ts'

const LOUD = 0.2
const QUIET = 0.001
const ann = { id: 'ann', isMuted: false }
const bob = { id: 'bob', isMuted: false }

test('a mark counts from its second look on', () => {
  const judge = new MarkJudge()
  expect(judge.speaking([ann], LOUD, 0)).toEqual([])
  expect(judge.speaking([ann], LOUD, 250)).toEqual(['ann'])
})

test('a mark that lingers in silence says nothing', () => {
  const judge = new MarkJudge()
  judge.speaking([ann], LOUD, 0)
  expect(judge.speaking([ann], QUIET, 250)).toEqual([])
})

test('a mark on somebody who is muted says nothing', () => {
  const judge = new MarkJudge()
  judge.speaking([{ ...ann, isMuted: true }], LOUD, 0)
  expect(judge.speaking([{ ...ann, isMuted: true }], LOUD, 250)).toEqual([])
})

test('of two marks the older one is what lingers of the last speaker', () => {
  const judge = new MarkJudge()
  judge.speaking([ann], LOUD, 0)
  judge.speaking([ann, bob], LOUD, 2000)
  expect(judge.speaking([ann, bob], LOUD, 2250)).toEqual(['bob'])
})

test('marks that came together are two who speak', () => {
  const judge = new MarkJudge()
  judge.speaking([ann, bob], LOUD, 0)
  expect(judge.speaking([ann, bob], LOUD, 250)).toEqual(['ann', 'bob'])
})

test('where no sound can be read the marks have to do', () => {
  const judge = new MarkJudge()
  judge.speaking([ann], null, 0)
  expect(judge.speaking([ann], null, 250)).toEqual(['ann'])
})

test('a sound that is loud whenever one person is marked is that person', () => {
  const owners = new SoundOwners()
  const hears = (id: string) =>
    owners.observe(
      [
        { userId: 1024, level: LOUD },
        { userId: 2048, level: 0 },
      ],
      [id],
    )
  for (let look = 0; look < 9; look++) expect(hears('ann')).toBeNull()
  expect(hears('ann')).toEqual({ userId: 1024, id: 'ann' })
})

test('a sound that goes with two people in turn is nobody', () => {
  const owners = new SoundOwners()
  for (let look = 0; look < 40; look++)
    expect(owners.observe([{ userId: 1024, level: LOUD }], [look % 2 === 0 ? 'ann' : 'bob'])).toBeNull()
})

test('two sounds or two marks at once prove nothing', () => {
  const owners = new SoundOwners()
  const both = [
    { userId: 1024, level: LOUD },
    { userId: 2048, level: LOUD },
  ]
  for (let look = 0; look < 40; look++) {
    expect(owners.observe(both, ['ann'])).toBeNull()
    expect(owners.observe([both[0]!], ['ann', 'bob'])).toBeNull()
  }
})
