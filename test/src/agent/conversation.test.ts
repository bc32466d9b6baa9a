/** The rules as scenes: who speaks and what is heard, each with its millisecond, and what the agent does when. */
import { expect, test } from 'vitest'
import { callFinder } from '../../../src/agent/calls.ts'
import { type Act, Conversation, type Heard, type Rules } from '../../../src/agent/conversation.ts'

const find = callFinder(['Standin', 'computer'], ['mute', 'be quiet'])
const NAME: Rules = { find, isAlways: false, hasWords: true, bySound: true }
const ALWAYS = { ...NAME, isAlways: true }
const BY_WORDS = { ...NAME, bySound: false }
const WORDLESS = { ...ALWAYS, hasWords: false }

/**
 * `ann+` begins to speak, `ann-` ends, `ann~ …` are words that grow, `ann: …` final ones. `ann^` is heard, `ann=` pauses. What
 * is known late names its time: `ann-@2000`.
 */
function heardIn(text: string, now: number): Heard {
  const [, who = '', sign = '', time = now, words = ''] = /^(\w+)([+\-~:^=])?(?:@(\d+))? ?(.*)$/.exec(text)!
  const at = Number(time)
  if (sign === '^' || sign === '=') return { type: 'voice', who, isHeard: sign === '^', at }
  if (sign === '+' || sign === '-') return { type: 'speech', who, isSpeaking: sign === '+', at }
  if (who === 'chat') return { type: 'chat', who: 'ann', text: words }
  if (sign !== '') return { type: 'words', who: who === 'someone' ? null : who, text: words, isFinal: sign === ':', at }
  if (who === 'on' || who === 'off') return { type: 'switch', isOn: who === 'on' }
  if (who === 'pause' || who === 'unpause') return { type: 'pause', isPaused: who === 'pause' }
  if (who === 'hush' || who === 'greeting') return { type: who }
  return { type: 'answer', is: who as 'begun' | 'over' | 'lost' }
}

function shown(act: Act, { bySound }: Rules): string {
  switch (act.do) {
    case 'listen':
      return `listen ${act.from}-${act.to ?? ''}`
    case 'stop listening':
      return `stop ${act.to}`
    case 'ask':
      return `ask ${act.who ?? 'someone'}${act.earlyTo === null ? '' : ' early'}${bySound ? '' : `: ${act.text}`}`
    case 'note':
      return act.isHeard ? '' : `note ${act.who ?? 'someone'}: ${act.text}`
    default:
      return act.do
  }
}

/** What is done, each with its millisecond. `leftMs` of the answer may change: `left 500`. */
function play(rules: Rules, scene: string): string[] {
  const conversation = new Conversation(rules)
  const done: string[] = []
  let now = 0
  let leftMs: number | null = null
  const take = (heard: Heard) => {
    for (const act of conversation.take(heard, now))
      if (shown(act, rules) !== '') done.push(`${now} ${shown(act, rules)}`)
  }
  for (const line of `${scene} | 160000 left 0`.split('|')) {
    const [, at = '', text = ''] = /^\s*(\d+) (.*?)\s*$/.exec(line)!
    for (; now < Number(at); now += 50) take({ type: 'time', leftMs })
    now = Number(at)
    if (text.startsWith('left')) leftMs = Number(text.slice(5))
    else take(heardIn(text, now))
  }
  return done
}

const ASKED = '0 ann+ | 1000 ann~ Standin what | 3000 ann- | 3500 ann: Standin what is next | 4000 begun'
const ANSWERED = '1000 listen 0- | 3000 stop 3000 | 3000 ask ann'

test.each<[what: string, rules: Rules, scene: string, done: string]>([
  ['a question by name is heard from its begin and asked at its end', NAME, `${ASKED} | 6000 over`, ANSWERED],
  [
    'a name that is read after the end is asked then',
    NAME,
    '0 ann+ | 2000 ann- | 2600 ann: What do you think, stand in?',
    '2600 listen 0-2000 | 2600 ask ann',
  ],
  [
    'talk among others is context, not a question',
    NAME,
    '0 ann+ | 2000 ann- | 2500 ann: Ben, are you there? | 3000 ben+ | 4000 ben- | 4500 ben: Yes.',
    '2500 note ann: Ben, are you there? | 4500 note ben: Yes.',
  ],
  [
    'who asked is heard on without the name, others are not',
    NAME,
    `${ASKED} | 6000 over | 7000 ben+ | 8000 ben- | 8500 ben: Hm. | 9000 ann+ | 10000 ann-`,
    `${ANSWERED} | 8500 note ben: Hm. | 9000 listen 9000- | 10000 stop 10000 | 10000 ask ann`,
  ],
  [
    'after ten quiet seconds the name is needed again',
    NAME,
    `${ASKED} | 6000 over | 16100 ann+ | 17500 ann- | 18000 ann: Ben?`,
    `${ANSWERED} | 18000 note ann: Ben?`,
  ],
  [
    'the name alone waits for the question',
    NAME,
    '0 ann+ | 600 ann~ Hey, Standin | 900 ann- | 1400 ann: Hey, Standin. | 2000 ann+ | 4000 ann-',
    '600 listen 0- | 900 stop 900 | 2000 listen 2000- | 4000 stop 4000 | 4000 ask ann',
  ],
  [
    'a name without a question is forgotten',
    NAME,
    '0 ann+ | 600 ann~ Standin | 900 ann- | 1400 ann: Standin.',
    '600 listen 0- | 900 stop 900 | 11400 forget',
  ],
  [
    'a question that goes on is asked again',
    NAME,
    `${ASKED.replace(' | 4000 begun', '')} | 3600 ann+ | 5000 ann- | 5400 ann: after lunch`,
    `${ANSWERED} | 3600 listen 3600- | 4100 cut | 5000 stop 5000 | 5000 ask ann`,
  ],
  [
    'half a second of words cuts the answer, and the next turn is asked',
    NAME,
    `${ASKED} | 6000 ann+ | 6400 ann~ wait | 8000 ann-`,
    `${ANSWERED} | 6000 listen 6000- | 6500 cut | 8000 stop 8000 | 8000 ask ann`,
  ],
  [
    'another person cuts it too, and is not answered',
    NAME,
    `${ASKED} | 6000 ben+ | 6600 ben~ Ann, | 8000 ben- | 8500 ben: Ann, wait.`,
    `${ANSWERED} | 6500 hold | 6600 cut | 8500 note ben: Ann, wait.`,
  ],
  [
    'noise without words holds the answer, and the rest is said',
    NAME,
    `${ASKED} | 6000 ben+ | 6700 ben- | 9000 over`,
    `${ANSWERED} | 6500 hold | 8700 resume`,
  ],
  [
    'words of the question itself prove no interruption',
    NAME,
    `${ASKED} | 6000 ben+ | 6500 left 2000 | 6600 ann: Standin what is next | 6700 ben-`,
    `${ANSWERED} | 6500 hold | 8700 resume`,
  ],
  ['noise that does not end drops it', NAME, `${ASKED} | 6000 ben+`, `${ANSWERED} | 6500 hold | 16500 cut`],
  ['a short yes is none', NAME, `${ASKED} | 6000 ben+ | 6300 ben- | 6800 ben: yes`, `${ANSWERED} | 6800 note ben: yes`],
  [
    'neither is speech in the first second of the answer',
    NAME,
    `${ASKED} | 4100 ben+ | 4900 ben- | 5400 ben: oh nice`,
    `${ANSWERED} | 5400 note ben: oh nice`,
  ],
  [
    'nor in its last second',
    NAME,
    `${ASKED} | 6000 left 900 | 6000 ben+ | 6800 over | 7000 ben- | 7500 ben: thanks`,
    `${ANSWERED} | 7500 note ben: thanks`,
  ],
  [
    'its name counts at any time',
    NAME,
    `${ASKED} | 4200 ann+ | 4700 ann- | 5100 ann: Standin, the other one`,
    `${ANSWERED} | 4200 listen 4200- | 4700 stop 4700 | 4700 forget | 5100 cut | 5100 listen 4200-4700 | 5100 ask ann`,
  ],
  [
    'muted by a person it hears nothing until it is unmuted',
    NAME,
    `${ASKED} | 6000 ben+ | 6300 ben~ computer be quiet | 7000 ben- | 8000 ann+ | 9000 ann~ Standin hello | 9500 ann- | 10000 chat: Standin, unmute | 11000 ann+ | 12000 ann~ Standin hello | 13000 ann-`,
    `${ANSWERED} | 6300 cut | 12000 listen 11000- | 13000 stop 13000 | 13000 ask ann`,
  ],
  [
    'who mutes somebody else does not mute it',
    NAME,
    '0 ann+ | 2000 ann- | 2500 ann: Standin, can you mute Ben',
    '2500 listen 0-2000 | 2500 ask ann',
  ],
  [
    'switched off in mid-question and on again',
    NAME,
    '0 ann+ | 1000 ann~ Standin what | 1500 off | 3000 ann- | 4000 chat: Standin? | 5000 on | 6000 chat: Standin?',
    '1000 listen 0- | 1500 stop 0 | 1500 forget | 6000 ask ann',
  ],
  [
    'a pause of the recording is silence',
    NAME,
    `${ASKED} | 5000 pause | 6000 chat: Standin? | 7000 unpause`,
    `${ANSWERED} | 5000 cut`,
  ],
  ['a request for silence cuts it', NAME, `${ASKED} | 5000 hush`, `${ANSWERED} | 5000 cut`],
  [
    "its caller's switch ends what people muted",
    NAME,
    '0 chat: Standin, mute | 1000 chat: Standin? | 2000 on | 3000 chat: Standin?',
    '3000 ask ann',
  ],
  ['a mention in the chat', NAME, '0 chat: hello all | 1000 chat: @Standin hello', '1000 ask ann'],
  [
    'a mention while it speaks is answered behind it',
    NAME,
    `${ASKED} | 5000 chat: computer, and then? | 6000 over`,
    `${ANSWERED} | 6000 ask ann`,
  ],
  [
    'a mention while it speaks and the next turn is heard is part of that question',
    NAME,
    `${ASKED} | 5000 left 500 | 5000 chat: computer, and then? | 5500 ann+ | 5600 over | 8000 ann-`,
    `${ANSWERED} | 5500 listen 5500- | 8000 stop 8000 | 8000 ask ann`,
  ],
  [
    'an answer that is lost leaves it ready',
    NAME,
    `${ASKED} | 5000 lost | 6000 chat: Standin?`,
    `${ANSWERED} | 6000 ask ann`,
  ],
  ['its greeting can be cut', NAME, '0 greeting | 100 begun | 3000 ben+ | 3300 ben~ hello | 5000 ben-', '3500 cut'],
  [
    'words of a speaker whom nothing shows',
    NAME,
    '900 ben~ Standin, who | 1000 someone: Standin, who are you?',
    '1000 listen 1000-1000 | 1000 ask someone',
  ],
  [
    'words that come before the signal of their speaker',
    NAME,
    '500 ann~ Standin what | 600 ann+ | 700 ann~ Standin what is | 2000 ann-',
    '700 listen 600- | 2000 stop 2000 | 2000 ask ann',
  ],
  [
    'always: two who overlap are one question, at the end of the second',
    ALWAYS,
    '0 ann+ | 1000 ben+ | 2000 ann- | 3000 ben-',
    '0 listen 0- | 1000 listen 1000- | 3000 stop 3000 | 3000 ask ben',
  ],
  [
    'a turn whose end is missed ends by itself',
    ALWAYS,
    '0 ann+ | 150000 ann-',
    '0 listen 0- | 120000 stop 120000 | 120000 ask ann',
  ],
  ['always: a cough asks nothing', ALWAYS, '0 ann+ | 300 ann-', '0 listen 0- | 300 stop 300'],
  [
    'always: a short yes asks once it is read',
    ALWAYS,
    '0 ann+ | 400 ann- | 900 ann: Yes.',
    '0 listen 0- | 400 stop 400 | 900 ask ann',
  ],
  [
    'by words: a question is asked when its last word is there',
    BY_WORDS,
    '0 ann+ | 1000 ann~ Standin what | 3000 ann- | 3500 ann: Standin, what is next?',
    '1000 listen 0- | 3000 stop 3000 | 3500 ask ann: Standin, what is next?',
  ],
  [
    'by words: at its end, if all are there',
    BY_WORDS,
    '0 ann+ | 1000 ann: Standin, go on. | 2000 ann: With all of it. | 2500 ann- | 9000 chat: Standin?',
    '1000 listen 0- | 2500 stop 2500 | 2500 ask ann: Standin, go on. With all of it.',
  ],
  ['by words: what is written', BY_WORDS, '1000 chat: Standin, who are you?', '1000 ask ann: Standin, who are you?'],
  [
    'without words half a second cuts at once, and a cough is forgotten',
    WORDLESS,
    '0 ann+ | 2000 ann- | 2500 begun | 5000 ben+ | 6000 ben- | 7000 ben+ | 7200 ben-',
    '0 listen 0- | 2000 stop 2000 | 2000 ask ann | 5000 listen 5000- | 5500 cut | 6000 stop 6000 | 6000 ask ben | 7000 listen 7000- | 7200 stop 7200 | 7200 forget',
  ],
  [
    'a pause is asked at once, and answered when it is the end',
    ALWAYS,
    '0 ann^ | 2000 ann= | 2700 ann+@0 | 2700 ann-@2000',
    '0 listen 0- | 2000 ask ann early | 2500 stop 2000 | 2500 answer',
  ],
  [
    'the slower signal may come first',
    ALWAYS,
    '0 ann^ | 100 ann+@0 | 2000 ann= | 2400 ann-@2000',
    '0 listen 0- | 2000 ask ann early | 2400 stop 2000 | 2400 answer',
  ],
  [
    'who goes on takes it back, and is asked in two pauses at most',
    ALWAYS,
    '0 ann^ | 2000 ann= | 2300 ann^ | 4000 ann= | 4300 ann^ | 6000 ann= | 6300 ann^ | 8000 ann=',
    '0 listen 0- | 2000 ask ann early | 2300 cut | 4000 ask ann early | 4300 cut | 8500 stop 8000 | 8500 ask ann',
  ],
  [
    'so does another person who begins meanwhile',
    ALWAYS,
    '0 ann^ | 2000 ann= | 2200 ben^ | 3500 ben=',
    '0 listen 0- | 2000 ask ann early | 2200 listen 2200- | 2500 cut | 3500 ask ben early | 4000 stop 3500 | 4000 answer',
  ],
  [
    'the late end of a turn is none of the next',
    ALWAYS,
    '0 ann^ | 2000 ann= | 2600 ann^ | 2700 ann-@2000 | 4000 ann=',
    '0 listen 0- | 2000 ask ann early | 2500 stop 2000 | 2500 answer | 2600 listen 2600- | 3100 cut | 4000 ask ann early | 4500 stop 4000 | 4500 answer',
  ],
  [
    'muted in a pause it gives no answer',
    ALWAYS,
    '0 ann^ | 2000 ann= | 2200 chat: Standin, mute',
    '0 listen 0- | 2000 ask ann early | 2200 stop 0 | 2200 forget | 2200 cut',
  ],
  [
    'a mention in that pause is answered behind it',
    ALWAYS,
    '0 ann^ | 2000 ann= | 2200 chat: Standin, and then? | 3000 begun | 5000 over',
    '0 listen 0- | 2000 ask ann early | 2500 stop 2000 | 2500 answer | 5000 ask ann',
  ],
  [
    'one before it is a part of the question, which is not asked early',
    ALWAYS,
    '0 ann^ | 1000 chat: Standin, by mail? | 2000 ann=',
    '0 listen 0- | 2500 stop 2000 | 2500 ask ann',
  ],
  [
    'in a pause a question by words is not asked',
    BY_WORDS,
    '0 ann^ | 1000 ann: Standin, go on. | 2000 ann= | 2300 ann^ | 2400 ann=',
    '1000 listen 0- | 2900 stop 2400 | 2900 ask ann: Standin, go on.',
  ],
  [
    'nor is the name alone',
    NAME,
    '0 ann^ | 600 ann~ Standin | 700 ann= | 2000 ann^ | 4000 ann=',
    '600 listen 0- | 1200 stop 700 | 2000 listen 2000- | 4000 ask ann early | 4500 stop 4000 | 4500 answer',
  ],
  [
    'a voice of half a second cuts, a shorter one does not although its turn lasts',
    NAME,
    `${ASKED} | 6000 ben^ | 6200 ben= | 7500 ann^ | 7900 ann~ wait | 9000 ann=`,
    `${ANSWERED} | 7500 listen 7500- | 8000 cut | 9000 ask ann early | 9500 stop 9000 | 9500 answer`,
  ],
])('%s', (_, rules, scene, done) => {
  expect(play(rules, scene)).toEqual(done.split(' | '))
})

test.each<[text: string, call: string | null]>([
  ['Standin, what is next?', 'question'],
  ['so what do you say stand in', 'question'],
  ['STÁNDIN?', 'question alone'],
  ['hey computer', 'question alone'],
  ['the standings are new', null],
  ['standin be quiet please', 'mute'],
  ['Standin: un-mute', 'unmute'],
  ['mute', null],
])('%s', (text, call) => {
  const found = find(text)
  expect(found && `${found.kind}${found.isAlone ? ' alone' : ''}`).toBe(call)
})

test('a name in a script without blanks is found', () => {
  expect(callFinder(['コンピューター'], [])('コンピューター、今何時？')?.kind).toBe('question')
})
