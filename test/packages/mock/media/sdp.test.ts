import { expect, test } from 'vitest'
import { nameStreams } from '../../../../packages/mock/media/sdp.ts'

const ANSWER = [
  'v=0',
  'm=audio 9 UDP/TLS/RTP/SAVPF 96',
  'a=sendonly',
  'a=mid:0',
  'a=msid:old track',
  'a=ssrc:1 cname:x',
  'm=audio 9 UDP/TLS/RTP/SAVPF 96',
  'a=sendonly',
  'a=mid:1',
  'a=msid:old track',
  'm=video 9 UDP/TLS/RTP/SAVPF 97',
  'a=recvonly',
  'a=mid:2',
  '',
].join('\r\n')

test('streams get names and sources, lines without a person become inactive, others stay as they are', () => {
  const names = new Map([
    ['0', { streamId: 'ann', trackId: 'voice', ssrc: 77 }],
    ['1', null],
  ])
  const [head, first, second, third] = nameStreams(ANSWER, names).split(/(?=^m=)/m)
  expect(head).toBe('v=0\r\n')
  expect(first).toBe(
    'm=audio 9 UDP/TLS/RTP/SAVPF 96\r\na=sendonly\r\na=mid:0\r\na=msid:ann voice\r\na=ssrc:77 cname:ann\r\n',
  )
  expect(second).toBe('m=audio 9 UDP/TLS/RTP/SAVPF 96\r\na=inactive\r\na=mid:1\r\n')
  expect(third).toBe('m=video 9 UDP/TLS/RTP/SAVPF 97\r\na=recvonly\r\na=mid:2\r\n')
})

test('an answer without names stays as it is', () => {
  expect(nameStreams(ANSWER, new Map())).toBe(ANSWER)
})
