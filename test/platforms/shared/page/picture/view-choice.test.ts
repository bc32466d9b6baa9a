import { describe, expect, it, test } from 'vitest'
import {
  BESIDE_SCREEN_LIMIT,
  type Candidate,
  chooseView,
  EMPTY_MEMORY,
  GALLERY_LIMIT,
  type ViewChoice,
} from '../../../../../platforms/shared/page/picture/view-choice.ts'

/** `Ann` has a camera, `ben` has none, `*` marks who speaks, `[deck]` is a shared screen. */
function candidates(text: string): Candidate[] {
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => ({
      id: word.replace('*', '').toLowerCase(),
      isScreen: word.startsWith('['),
      isSpeaking: word.endsWith('*'),
      hasCamera: /^[A-Z]/.test(word),
    }))
}

function meeting() {
  let memory = EMPTY_MEMORY
  return (text: string, now: number): ViewChoice => {
    const choice = chooseView(memory, candidates(text), now)
    memory = choice.memory
    return choice
  }
}

/** Each moment is the time in seconds, the candidates, and the speaker that is chosen. */
test.each([
  ['the first with a camera before anyone spoke', '1 ann Ben Cleo → ben'],
  ['the first participant where all cameras are off', '1 ann ben → ann, 1.1 → null'],
  ['another one after speech of 0.8 s, not before', '1 A B → a, 2 A B* → a, 2.799 A B* → a, 2.8 A B* → b'],
  ['the same after a short word', '1 A B → a, 2 A B* → a, 2.5 A B → a, 3 A B* → a, 3.5 A B* → a'],
  ['the same in silence', '1 A B* → a, 2 A B* → b, 3 A B → b, 900 A B → b'],
  [
    'replaced by a participant who keeps speaking, so that a noisy microphone cannot hold the picture',
    '1 A* B → a, 2 A* B → a, 3 A* B* → a, 5.499 A* B* → a, 5.5 A* B* → b, 60 A* B* → b, 61 A* B → a',
  ],
  [
    'when leaving, followed by who spoke last',
    '1 A* B C → a, 2 A* B C → a, 3 A B C* → a, 4 A B C* → c, 5 A B → a, 6 a B → a',
  ],
  ['when leaving, followed at once by who speaks at that moment', '1 A* B C → a, 2 A* B C → a, 2.1 B C* → c'],
  ['nobody when all left, and the newcomer afterwards', '1 A* → a, 2 A* → a, 3 → null, 4 B → b'],
])('the speaker is %s', (_what, story) => {
  const at = meeting()
  const chosen = story.split(', ').map((moment) => {
    const [, seconds, people] = /^([\d.]+)(.*) →/.exec(moment)!
    return `${seconds}${people} → ${at(people!, Number(seconds) * 1000).speakerId}`
  })
  expect(chosen.join(', ')).toBe(story)
})

it('looks again when a participant who speaks may become the speaker', () => {
  const at = meeting()
  at('Ann Ben', 1000)
  expect(at('Ann Ben*', 2000).recheckAt).toBe(2800)
})

it('has on standby who begins to speak and who was there before', () => {
  const at = meeting()
  expect(at('Ann Ben Cleo', 1000).standby).toEqual([])
  expect(at('Ann Ben* Cleo', 2000).standby).toEqual(['ben'])
  expect(at('Ann Ben* Cleo', 3000)).toMatchObject({ speakerId: 'ben', standby: ['ann'] })
  expect(at('Ann Ben Cleo*', 9000).standby).toEqual(['ann', 'cleo'])
  expect(at('Ben Cleo*', 9100).standby).toEqual(['cleo'])
})

describe('shared screens', () => {
  it('are no people', () => {
    const choice = meeting()('[deck] Ann', 0)
    expect(choice).toMatchObject({ screenId: '[deck]', speakerId: 'ann', gallery: ['ann'], hiddenCount: 0 })
  })

  it('are represented by the newest, in any order of tiles', () => {
    const at = meeting()
    at('[one] Ann', 0)
    expect(at('[two] Ann [one]', 10).screenId).toBe('[two]')
    expect(at('Ann [one]', 20).screenId).toBe('[one]')
    expect(at('Ann', 30).screenId).toBeNull()
  })
})

describe('the gallery', () => {
  const crowd = (count: number, speaking: string[] = []) =>
    Array.from({ length: count }, (_, index) => `p${index}${speaking.includes(`p${index}`) ? '*' : ''}`).join(' ')

  it('shows every participant up to its limit, in the order of joining, and counts the others', () => {
    expect(meeting()(crowd(GALLERY_LIMIT), 0)).toMatchObject({
      gallery: crowd(GALLERY_LIMIT).split(' '),
      hiddenCount: 0,
    })
    const { gallery, hiddenCount } = meeting()(crowd(30), 0)
    expect([gallery.length, hiddenCount]).toEqual([GALLERY_LIMIT - 1, 6])
  })

  it('gives a hidden speaker the place of the participant who was silent longest, and moves no other', () => {
    const at = meeting()
    at(crowd(30, ['p3']), 1000)
    const before = at(crowd(30), 2000).gallery
    at(crowd(30, ['p28']), 3000)
    const after = at(crowd(30, ['p28']), 3800).gallery
    expect(after).toContain('p28')
    expect(after).toContain('p3')
    expect(after.filter((id, place) => before[place] !== id)).toEqual(['p28'])
    expect(at(crowd(30), 60_000).gallery).toEqual(after)
  })

  it('prefers those who spoke last when it becomes smaller', () => {
    const at = meeting()
    at(crowd(20, ['p19', 'p18']), 1000)
    at(crowd(20, ['p19', 'p18']), 3000)
    const beside = at(`${crowd(20)} [deck]`, 4000)
    expect(beside.gallery).toHaveLength(BESIDE_SCREEN_LIMIT - 1)
    expect(beside.gallery).toEqual(expect.arrayContaining(['p18', 'p19', 'p0']))
    expect(beside.hiddenCount).toBe(20 - (BESIDE_SCREEN_LIMIT - 1))
  })

  it('fills the places of those who left', () => {
    const at = meeting()
    at(crowd(30), 0)
    const left = crowd(30).replace('p0 p1 ', '')
    const choice = at(left, 10)
    expect(choice.gallery).toHaveLength(GALLERY_LIMIT - 1)
    expect(choice.gallery).toEqual(expect.arrayContaining(['p24', 'p25']))
    expect(choice.hiddenCount).toBe(4)
  })
})
