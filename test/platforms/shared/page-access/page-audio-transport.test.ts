import { expect, test } from 'vitest'
import type { CapturedAudio, ParticipantAudio } from '../../../../packages/core/ports.ts'
import { receiveCarriedAudio } from '../../../../platforms/shared/page-access/page-audio-transport.ts'

function audioTap() {
  const mixes: CapturedAudio[] = []
  const voices: ParticipantAudio[] = []
  return {
    mixes,
    voices,
    mixRate: 16_000,
    wantsParticipantTracks: true,
    onMix: (sound: CapturedAudio) => mixes.push(sound),
    onParticipantAudio: (voice: ParticipantAudio) => voices.push(voice),
  }
}

const NOW = 1_795_287_871_000
const base64 = (bytes: number) => Buffer.alloc(bytes, 1).toString('base64')

test('what the page hears is read', () => {
  const heard = audioTap()
  for (const payload of ['m 1795287871206.5 AQACAA==', 'v 1795287871207.0 +P/+ spaces/x y/devices/1\nend'])
    receiveCarriedAudio(payload, { audioTap: heard }, NOW)
  expect(heard.mixes).toEqual([{ at: 1_795_287_871_206.5, samples: Buffer.from([1, 0, 2, 0]) }])
  expect(heard.voices).toEqual([
    { at: 1_795_287_871_207, participantId: 'spaces/x y/devices/1\nend', opus: Buffer.from([0xf8, 0xff, 0xfe]) },
  ])
})

test('who is heard is read, and who is not any more', () => {
  const heard: unknown[] = []
  const onVoice = (...given: unknown[]) => void heard.push(given)
  for (const payload of [`a ${NOW} 1 x y`, `a ${NOW} 0 x y`, `a ${NOW} 1 `, `a ${NOW} 1`])
    receiveCarriedAudio(payload, { audioTap: null, onVoice }, NOW)
  expect(heard).toEqual([
    ['x y', true, NOW],
    ['x y', false, NOW],
  ])
})

test("a shown page's sound and the meeting's are told apart, and reach no one else", () => {
  const heard: [string, number][] = []
  const to = {
    audioTap: null,
    onPage: ({ at }: CapturedAudio) => heard.push(['page', at]),
    onMeeting: ({ at }: CapturedAudio) => heard.push(['meeting', at]),
  }
  for (const kind of ['h', 'p', 'm']) receiveCarriedAudio(`${kind} ${NOW} AQACAA==`, to, NOW)
  expect(heard).toEqual([
    ['meeting', NOW],
    ['page', NOW],
  ])
})

test.each([
  ['nothing', ''],
  ['another kind', `x 1 ${base64(2)}`],
  ['no time', `m now ${base64(2)}`],
  ['half a sample', `m 1 ${base64(3)}`],
  ['more than a quarter of a second', `m 1 ${base64(24_002)}`],
  ['a packet longer than any', `v 1 ${base64(1300)} id`],
  ['a voice of nobody', `v 1 ${base64(3)}`],
  ['an endless id', `v 1 ${base64(3)} ${'i'.repeat(501)}`],
  ['another hour', `m 3600000 ${base64(2)}`],
  ['markup', 'm 1 <script>'],
])('%s is not heard', (_, payload) => {
  const heard = audioTap()
  receiveCarriedAudio(payload, { audioTap: heard }, 0)
  expect([...heard.mixes, ...heard.voices]).toEqual([])
})
