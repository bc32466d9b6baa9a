import { inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { PagePerson } from '../../../mock/microsoft-teams/page/protocol.ts'
import {
  channelMessage,
  endBody,
  pushFrame,
  readChannelMessage,
  recognition,
  rosterBody,
  withStreamNumbers,
} from '../../../mock/microsoft-teams/push.ts'

const ANN: PagePerson = {
  mri: '8:orgid:1',
  name: 'Ann Host (Guest)',
  role: 'organizer',
  isSelf: false,
  camera: false,
  muted: true,
  speaking: false,
  sharing: false,
  handRaised: false,
  unresolved: '',
  audioSource: 101,
  videoSource: 102,
  shareSource: 103,
}

function read(frame: string) {
  expect(frame.slice(0, 4)).toBe('3:::')
  return JSON.parse(frame.slice(4)) as { url: string; headers: Record<string, string>; body: string }
}

test('a roster frame holds a deflated body with names free of qualifiers', () => {
  const frame = pushFrame({ path: 'rosterUpdate/', callId: 'c-1', body: rosterBody([ANN], 'active'), isPacked: true })
  const { url, headers, body } = read(frame)
  expect(url).toMatch(/\/rosterUpdate\/$/)
  expect(headers['X-Microsoft-Skype-Chain-ID']).toBe('c-1')
  const { participants } = JSON.parse(inflateSync(Buffer.from(body, 'base64')).toString())
  expect(participants['8:orgid:1']).toMatchObject({ state: 'active', details: { displayName: 'Ann Host' } })
  const [endpoint] = Object.values(participants['8:orgid:1'].endpoints) as { call: { mediaStreams: object[] } }[]
  expect(endpoint?.call.mediaStreams[0]).toEqual({ type: 'audio', sourceId: 101, direction: 'recvonly' })
  expect(rosterBody([ANN], 'inactive').participants['8:orgid:1']).toMatchObject({ state: 'inactive' })
})

test('the end of a conversation may be plain', () => {
  const body = endBody(5000, 'Removed', ANN)
  const frame = pushFrame({ path: 'conversation/conversationEnd/', callId: 'c-1', body, isPacked: false })
  expect(JSON.parse(read(frame).body)).toEqual({
    subCode: 5000,
    phrase: 'Removed',
    sender: { id: '8:orgid:1', displayName: 'Ann Host' },
  })
})

test('a message of the main channel has eight bytes before its JSON, some of them misleading', () => {
  const body = [{ type: 'dsh', history: [101, 104] }]
  const messages = Array.from({ length: 400 }, () => channelMessage(body))
  for (const message of messages) expect(readChannelMessage(message)).toEqual(body)
  const misleading = messages.filter((message) => message.subarray(0, 8).includes(0x5b)).length
  expect(misleading).toBeGreaterThan(10)
  expect(misleading).toBeLessThan(100)
  expect(readChannelMessage(Buffer.from('no JSON at all'))).toBeNull()
})

test('recognized speech is dated in ticks since 1900', () => {
  const at = Date.UTC(2026, 10, 21)
  const [result] = recognition({ mri: '8:orgid:1', text: 'so the', startedAt: at, isFinal: false }).recognitionResults
  expect(result!.timestampAudioSent / 10_000 - 2_208_988_800_000).toBe(at)
})

test('media lines of an answer are numbered, the line for data channels is not', () => {
  const sdp = 'v=0\r\nm=audio 9 X 111\r\na=mid:0\r\nm=application 9 X y\r\na=mid:1\r\nm=video 9 X 96\r\na=mid:2\r\n'
  expect(withStreamNumbers(sdp).match(/a=x-source-streamid:\d+/g)).toEqual([
    'a=x-source-streamid:1000',
    'a=x-source-streamid:1002',
  ])
})
