import { inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import {
  channelMessage,
  pushFrame,
  readChannelMessage,
  rosterBody,
} from '../../../../packages/mock/microsoft-teams/push.ts'

test('a roster frame holds a deflated body with names free of qualifiers', () => {
  const ann = {
    ...{ mri: '8:orgid:1', name: 'Ann Host (Guest)', role: 'organizer' as const, unresolved: '' },
    ...{ isSelf: false, camera: false, muted: true, speaking: false, sharing: false, handRaised: false },
    ...{ audioSource: 101, videoSource: 102, shareSource: 103 },
  }
  const frame = pushFrame({ path: 'rosterUpdate/', callId: 'c-1', body: rosterBody([ann], 'active'), isPacked: true })
  expect(frame.slice(0, 4)).toBe('3:::')
  const { participants } = JSON.parse(inflateSync(Buffer.from(JSON.parse(frame.slice(4)).body, 'base64')).toString())
  expect(participants['8:orgid:1']).toMatchObject({ state: 'active', details: { displayName: 'Ann Host' } })
})

test('a message of the main channel has eight bytes before its JSON, some of them misleading', () => {
  const body = [{ type: 'dsh', history: [101, 104] }]
  const messages = Array.from({ length: 400 }, () => channelMessage(body))
  for (const message of messages) expect(readChannelMessage(message)).toEqual(body)
  const misleading = messages.filter((message) => message.subarray(0, 8).includes(0x5b)).length
  expect(misleading).toBeGreaterThan(10)
  expect(misleading).toBeLessThan(100)
})
