import { BOT_NAMES } from '@standin/wire/bot-names.ts'
import { timeoutConfigSchema } from '@standin/wire/job.ts'
import { describe, expect, test } from 'vitest'
import {
  deafened,
  excuseSilence,
  firstObservation,
  leaveReason,
  type Observed,
  observe,
  unseen,
} from '../../../src/run/leave-rules.ts'
import { botNamesOf } from '../../../src/run/other-bots.ts'

const limits = timeoutConfigSchema.parse({ no_one_joined_timeout: 60, everyone_left_timeout: 30, silence_timeout: 40 })

/** The observation after one heartbeat a second, `others` present each time. */
function watched(from: Observed, seconds: number, others: number | null): Observed {
  let observed = from
  for (let second = 1; second <= seconds; second++)
    observed = observe(observed, { type: 'heartbeat', others, at: from.lastHeartbeatAt + second * 1000 })
  return observed
}
const reason = (observed: Observed, later = 0, config = limits, recorded = 1000) =>
  leaveReason(observed, config, observed.lastHeartbeatAt + later, recorded)?.code ?? null

/** The second after `from` in which the bot leaves while `others` are present, and why. */
function end(from: Observed, others: number | null, config = limits) {
  let observed = from
  for (let second = 0; second <= 900; second++) {
    const code = reason(observed, 0, config)
    if (code !== null) return `${code} after ${second} s`
    observed = watched(observed, 1, others)
  }
  return null
}

describe('alone', () => {
  test('from the start is borne longer than after others left', () => {
    expect(end(firstObservation(0), 0)).toBe('NO_ATTENDEES after 61 s')
    const others = watched(firstObservation(0), 5, 3)
    expect(end(others, 0)).toBe('NO_ATTENDEES after 31 s')
  })

  test('is over when a participant joins', () => {
    const alone = watched(firstObservation(0), 55, 0)
    const met = observe(alone, { type: 'participant_joined', participant: { id: 'a', name: 'A' }, at: 55_500 })
    expect(reason(watched(met, 20, 1))).toBeNull()
  })

  test('is not concluded from a page that does not know', () => {
    expect(end(firstObservation(0), null)).toBeNull()
  })

  test('restarts its count after the page was silent for long', () => {
    const alone = watched(firstObservation(0), 50, 0)
    const back = observe(alone, { type: 'heartbeat', others: 0, at: 200_000 })
    expect(reason(back)).toBeNull()
    expect(reason(watched(back, 61, 0))).toBe('NO_ATTENDEES')
  })

  test('is not concluded while the page does not answer', () => {
    expect(reason(watched(firstObservation(0), 50, 0), 60_000)).toBeNull()
  })
})

describe('people who are heard are there, whatever the page counts', () => {
  const sound = (isAudible: boolean, at: number) => ({ type: 'sound', isAudible, at }) as const
  const met = watched(firstObservation(0), 5, 1)
  /** Five seconds of sound, of which the last is 4 s before the next. */
  const talk = (from: Observed, rounds: number, change: (observed: Observed) => Observed = (observed) => observed) => {
    let observed = from
    for (let second = 0; second < rounds * 9; second++) {
      const isAudible = second % 9 < 5
      if (second % 9 === 0 || second % 9 === 5)
        observed = observe(change(observed), sound(isAudible, observed.lastHeartbeatAt))
      observed = watched(isAudible ? change(observed) : observed, 1, 0)
    }
    return observed
  }

  test('sound that lasts, and sound with pauses', () => {
    expect(end(observe(met, sound(true, 6_000)), 0)).toBeNull()
    expect(reason(talk(met, 50))).toBeNull()
    expect(reason(talk(firstObservation(0), 50))).toBeNull()
  })

  test('turns that the page shows', () => {
    const speaking = {
      type: 'speaking',
      participantId: 'a',
      isSpeaking: true,
      source: 'csrc',
      confidence: 0.9,
    } as const
    const spoke = observe(watched(met, 29, 0), { ...speaking, at: 34_000 })
    expect(end(spoke, 0)).toBe('NO_ATTENDEES after 30 s')
  })

  test('the whole time counts from the last sound', () => {
    expect(end(watched(talk(met, 5), 1, 0), 0)).toBe('NO_ATTENDEES after 25 s')
  })

  test("the bot's own voice is nobody's, and a pause hears none", () => {
    const own = (observed: Observed) => deafened(observed, observed.lastHeartbeatAt)
    expect(reason(talk(met, 5, own))).toBe('NO_ATTENDEES')
    const paused = excuseSilence(watched(observe(met, sound(true, 6_000)), 60, 0), 65_000)
    expect(reason(paused)).toBe(null)
    let long = paused
    for (let second = 0; second < 40; second++) long = excuseSilence(watched(long, 1, 0), long.lastHeartbeatAt + 1000)
    expect(reason(long)).toBe('NO_ATTENDEES')
  })
})

describe('breakout rooms', () => {
  const rooms = (from: Observed, seconds: number, others: number | null, areRoomsOpen = true): Observed => {
    let observed = from
    for (let second = 1; second <= seconds; second++) {
      const at = from.lastHeartbeatAt + second * 1000
      observed = observe(observed, { type: 'heartbeat', others, areRoomsOpen, at })
    }
    return observed
  }

  test.each([0, 1, null])('while they are open the bot stays with %s others, also in silence', (others) => {
    const together = watched(firstObservation(0), 5, 3)
    expect(reason(rooms(together, 1200, others))).toBeNull()
    expect(reason(rooms(watched(together, 29, 0), 1200, others))).toBeNull()
  })

  test('a bot that is admitted beside open rooms is not alone', () => {
    expect(reason(rooms(firstObservation(0), 1200, 0))).toBeNull()
  })

  test('once they are closed, people have the usual time to come back', () => {
    const open = rooms(watched(firstObservation(0), 5, 3), 600, 0)
    expect(reason(rooms(open, 30, 0, false))).toBeNull()
    expect(reason(rooms(open, 32, 0, false))).toBe('NO_ATTENDEES')
    const back = rooms(rooms(open, 20, 0, false), 5, 3, false)
    expect(reason(rooms(back, 29, 0, false))).toBeNull()
    expect(reason(rooms(back, 42, 3, false))).toBe('NO_SPEAKER')
  })

  test('the limit of the recording ends it all the same', () => {
    const open = rooms(firstObservation(0), 5, 0)
    expect(reason(open, 0, limits, limits.recording_timeout * 1000)).toBe('RECORDING_TIMEOUT')
  })
})

describe('silence', () => {
  const met = watched(firstObservation(0), 1, 2)

  test('ends a meeting with participants in which none speaks', () => {
    expect(end(met, 2)).toBe('NO_SPEAKER after 40 s')
  })

  test('restarts its count after a time without heartbeats, and after the clock was set', () => {
    for (const at of [met.lastHeartbeatAt + 3_600_000, met.lastHeartbeatAt - 3_600_000]) {
      const back = observe(watched(met, 38, 2), { type: 'heartbeat', others: 2, at })
      expect(reason(back)).toBeNull()
      expect(reason(watched(back, 39, 2))).toBeNull()
      expect(reason(watched(back, 45, 2))).toBe('NO_SPEAKER')
    }
  })

  test('is none if sound lasts through a time without heartbeats', () => {
    const heard = observe(met, { type: 'sound', isAudible: true, at: 1_500 })
    const back = observe(heard, { type: 'heartbeat', others: 2, at: met.lastHeartbeatAt + 3_600_000 })
    expect(reason(watched(back, 60, 2))).toBeNull()
  })

  const mark = (isSpeaking: boolean, at: number) =>
    ({ type: 'speaking', participantId: 'a', isSpeaking, source: 'page', confidence: 0.5, at }) as const

  test('is broken by sound, for as long as that is heard', () => {
    const heard = observe(watched(met, 30, 2), { type: 'sound', isAudible: true, at: 31_000 })
    expect(end(heard, 2)).toBeNull()
    const silent = observe(watched(heard, 100, 2), { type: 'sound', isAudible: false, at: 131_000 })
    expect(end(silent, 2)).toBe('NO_SPEAKER after 40 s')
  })

  test('is broken by a mark in the page that comes or goes, and by none that is stuck', () => {
    const marked = observe(watched(met, 30, 2), mark(true, 31_000))
    expect(end(marked, 2)).toBe('NO_SPEAKER after 40 s')
    const ended = observe(watched(marked, 30, 2), mark(false, 61_000))
    expect(end(ended, 2)).toBe('NO_SPEAKER after 40 s')
  })

  test('does not count in a pause', () => {
    const paused = excuseSilence(watched(met, 100, 2), met.lastHeartbeatAt + 100_000)
    expect(reason(paused)).toBeNull()
    expect(end(paused, 2)).toBe('NO_SPEAKER after 40 s')
  })

  test('a participant who comes late gets the whole time to speak up', () => {
    const late = watched(watched(firstObservation(0), 55, 0), 1, 1)
    expect(end(late, 1)).toBe('NO_SPEAKER after 40 s')
  })
})

test('nothing but the longest recording fires within the grace period', () => {
  const patient = timeoutConfigSchema.parse({ ...limits, grace_period: 300 })
  const alone = watched(firstObservation(0), 200, 0)
  expect(reason(alone, 0, patient)).toBeNull()
  expect(reason(alone, 0, patient, 14_400_000)).toBe('RECORDING_TIMEOUT')
})

describe('only other bots', () => {
  const bots = timeoutConfigSchema.parse({ only_bots_timeout: 20, no_one_joined_timeout: 60, silence_timeout: 1000 })
  const arrived = (observed: Observed, id: string, name: string, isBot?: boolean) => {
    const participant = { id, name, ...(isBot === undefined ? {} : { isBot }) }
    return observe(observed, { type: 'participant_joined', participant, at: observed.lastHeartbeatAt })
  }
  const left = (observed: Observed, participantId: string) =>
    observe(observed, { type: 'participant_left', participantId, at: observed.lastHeartbeatAt })
  const fresh = () => firstObservation(0, botNamesOf(bots.bot_names))
  const meeting = () => arrived(arrived(fresh(), 'ann', 'Ann Berg'), 'f', "Fireflies.ai Notetaker (Ann's)")

  test('who are left after the people went end the meeting in their time', () => {
    const alone = left(watched(meeting(), 100, 2), 'ann')
    expect(end(alone, 1, bots)).toBe('NO_ATTENDEES after 21 s')
  })

  test('are borne as long as an empty room where no person came yet', () => {
    const early = arrived(fresh(), 'f', 'Otter.ai')
    expect(end(early, 1, bots)).toBe('NO_ATTENDEES after 61 s')
  })

  test('are those that the platform marks, with any name', () => {
    const marked = left(watched(arrived(meeting(), 'm', 'Quarterly Helper', true), 1, 3), 'ann')
    expect(reason(watched(marked, 22, 2), 0, bots)).toBe('NO_ATTENDEES')
  })

  const said = (senderId: string) => ({ id: 'm', senderId, senderName: 'Bot', text: 'Hi', at: 1000, isOwn: false })
  const act = { at: 1000, participantId: 'n' }
  test.each([
    ['has spoken', { type: 'speaking', isSpeaking: true, source: 'csrc', confidence: 1, ...act }],
    ['has written', { type: 'chat_message', message: said('n') }],
    ['has shown a camera', { type: 'camera', ...act }],
    ['has raised a hand', { type: 'hand_raised', name: 'Notes', isRaised: true, ...act }],
  ] as const)('a person called Notes who %s is a person', (_what, event) => {
    const silent = left(watched(arrived(meeting(), 'n', 'Notes'), 1, 3), 'ann')
    expect(reason(watched(silent, 22, 2), 0, bots)).toBe('NO_ATTENDEES')
    expect(end(observe(silent, event), 2, bots)).toBeNull()
  })

  test.each([
    ['greets', { type: 'chat_message', message: said('f') }],
    ['shows a logo', { type: 'camera', at: 1000, participantId: 'f' }],
  ] as const)('a known notetaker that %s is still a bot', (_what, event) => {
    const silent = left(watched(observe(arrived(meeting(), 'o', 'Otter.ai'), event), 1, 3), 'ann')
    expect(end(silent, 2, bots)).toBe('NO_ATTENDEES after 21 s')
  })

  test('are not concluded while the count has a participant without a name yet, or there is no count', () => {
    const two = left(watched(meeting(), 1, 2), 'ann')
    expect(end(two, 2, bots)).toBeNull()
    expect(end(two, null, bots)).toBeNull()
  })

  test('a participant who comes ends the wait, and a bot that saw nothing restarts its count', () => {
    const waited = watched(left(watched(meeting(), 1, 2), 'ann'), 15, 1)
    expect(end(arrived(waited, 'ben', 'Ben'), 2, bots)).toBeNull()
    const back = unseen(waited, waited.lastHeartbeatAt)
    expect(end(back, 1, bots)).toBe('NO_ATTENDEES after 21 s')
  })

  test.each([
    ['Botond Kiss', false],
    ['Abbott', false],
    ['Grainger', false],
    ['Gong Li', false],
    ['Jamie Lee', false],
    ['Attendee 3', false],
    ['Read.ai meeting notes', true],
    ['MY NOTE-TAKER', true],
    ['tl;dv', true],
    ['会议 notetaker', true],
    ['議事録Bot', true],
    ['社内ボット2', true],
    ['Quarterly.ai', true],
    ['Quarterly AI', true],
    ['Wei Ai', false],
    ['Ann (acme.ai)', false],
    ['zhang.wei@lab.ai', false],
    ['A.Ai', false],
    ['Kaia', false],
    ['AlfredBot 2', true],
    ['Ann (KI-Notizen)', true],
    ['jamie (AI)', true],
    ['ИИ-ассистент Ани', true],
    ['AI 비서', true],
    ['fathom.video', true],
    ['Wordly Wise', false],
    ['Gemini Singh', false],
    ['ann@otter.ai', false],
    ['Иван Ботов', false],
  ])('%s is a name of a bot: %s', (name, isBot) => {
    expect(botNamesOf(bots.bot_names)(name)).toBe(isBot)
  })

  test('a product is a bot alone and among words of a product; behind a given name it is a family name', () => {
    const isBot = botNamesOf(bots.bot_names)
    const bare = "Jibri|jibri-0a1b|Otter|Ann's OtterPilot|Ann’s Fathom|Jess' Gong|Fred from Fireflies|Sybill".split('|')
    const people = "Ann S Otter|Read, Bob|Gong|Jamie|Ann's iPhone".split('|')
    for (const name of [...BOT_NAMES.products, ...BOT_NAMES.alsoNames]) {
      bare.push(`${name}.ai`, `Ann's ${name}`, `${name} Assistant`)
      people.push(`Ann ${name}`, `Mr. ${name}`, `${name}-Berg, Ann`)
    }
    expect(bare.filter((name) => !isBot(name))).toEqual([])
    expect(people.filter(isBot)).toEqual([])
  })
})
