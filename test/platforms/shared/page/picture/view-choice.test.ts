import { describe, expect, it } from 'vitest'
import {
  BESIDE_SCREEN_LIMIT,
  type Candidate,
  chooseView,
  EMPTY_MEMORY,
  GALLERY_LIMIT,
  OVERLAP_MS,
  TAKE_OVER_MS,
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

describe('the main speaker', () => {
  it('is the first with a camera before anyone spoke', () => {
    const at = meeting()
    expect(at('ann Ben Cleo', 1000).speakerId).toBe('ben')
  })

  it('is the first participant where all cameras are off', () => {
    const at = meeting()
    expect(at('ann ben', 1000).speakerId).toBe('ann')
    expect(at('', 1100).speakerId).toBeNull()
  })

  it('changes after speech of 0.8 s, not before', () => {
    const at = meeting()
    at('Ann Ben', 1000)
    const begun = at('Ann Ben*', 2000)
    expect(begun.speakerId).toBe('ann')
    expect(begun.recheckAt).toBe(2000 + TAKE_OVER_MS)
    expect(at('Ann Ben*', 2000 + TAKE_OVER_MS - 1).speakerId).toBe('ann')
    expect(at('Ann Ben*', 2000 + TAKE_OVER_MS).speakerId).toBe('ben')
  })

  it('is not changed by a short word', () => {
    const at = meeting()
    at('Ann Ben', 1000)
    at('Ann Ben*', 2000)
    at('Ann Ben', 2500)
    at('Ann Ben*', 3000)
    expect(at('Ann Ben*', 3500).speakerId).toBe('ann')
  })

  it('stays in silence', () => {
    const at = meeting()
    at('Ann Ben*', 1000)
    at('Ann Ben*', 2000)
    expect(at('Ann Ben', 3000).speakerId).toBe('ben')
    expect(at('Ann Ben', 900_000).speakerId).toBe('ben')
  })

  it('stays while speaking, although another speaks too for a moment', () => {
    const at = meeting()
    at('Ann* Ben', 1000)
    at('Ann* Ben', 2000)
    at('Ann* Ben*', 3000)
    expect(at('Ann* Ben*', 3000 + TAKE_OVER_MS).speakerId).toBe('ann')
  })

  it('is replaced by a participant who keeps speaking, so that a noisy microphone cannot hold the picture', () => {
    const at = meeting()
    at('Ann* Ben', 1000)
    at('Ann* Ben', 2000)
    at('Ann* Ben*', 3000)
    expect(at('Ann* Ben*', 3000 + OVERLAP_MS).speakerId).toBe('ben')
    expect(at('Ann* Ben*', 60_000).speakerId).toBe('ben')
    expect(at('Ann* Ben', 61_000).speakerId).toBe('ann')
  })

  it('has on standby who begins to speak and who was there before', () => {
    const at = meeting()
    expect(at('Ann Ben Cleo', 1000).standby).toEqual([])
    expect(at('Ann Ben* Cleo', 2000).standby).toEqual(['ben'])
    const changed = at('Ann Ben* Cleo', 3000)
    expect([changed.speakerId, ...changed.standby]).toEqual(['ben', 'ann'])
    expect(at('Ann Ben Cleo*', 9000).standby).toEqual(['ann', 'cleo'])
    expect(at('Ben Cleo*', 9100).standby).toEqual(['cleo'])
  })

  it('is followed by who spoke last when leaving', () => {
    const at = meeting()
    at('Ann* Ben Cleo', 1000)
    at('Ann* Ben Cleo', 2000)
    at('Ann Ben Cleo*', 3000)
    at('Ann Ben Cleo*', 4000)
    expect(at('Ann Ben', 5000).speakerId).toBe('ann')
    expect(at('ann Ben', 6000).speakerId).toBe('ann')
  })

  it('is followed at once by who speaks at that moment', () => {
    const at = meeting()
    at('Ann* Ben Cleo', 1000)
    at('Ann* Ben Cleo', 2000)
    expect(at('Ben Cleo*', 2100).speakerId).toBe('cleo')
  })

  it('is null when all left, and the newcomer afterwards', () => {
    const at = meeting()
    at('Ann*', 1000)
    at('Ann*', 2000)
    expect(at('', 3000).speakerId).toBeNull()
    expect(at('Ben', 4000).speakerId).toBe('ben')
  })
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

  it('shows every participant up to its limit, in the order of joining', () => {
    const choice = meeting()(crowd(GALLERY_LIMIT), 0)
    expect(choice.gallery).toHaveLength(GALLERY_LIMIT)
    expect(choice.hiddenCount).toBe(0)
    expect(choice.gallery.slice(0, 3)).toEqual(['p0', 'p1', 'p2'])
  })

  it('counts those for whom there is no place', () => {
    const choice = meeting()(crowd(30), 0)
    expect(choice.gallery).toHaveLength(GALLERY_LIMIT - 1)
    expect(choice.hiddenCount).toBe(6)
  })

  it('gives a hidden speaker the place of the participant who was silent longest, and moves no other', () => {
    const at = meeting()
    at(crowd(30, ['p3']), 1000)
    const before = at(crowd(30), 2000).gallery
    at(crowd(30, ['p28']), 3000)
    const after = at(crowd(30, ['p28']), 3000 + TAKE_OVER_MS).gallery
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
