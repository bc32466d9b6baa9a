import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MOCK_PLATFORMS, type MockServers, startMocks } from '../../../../packages/mock/index.ts'

let mocks: MockServers
beforeAll(async () => {
  mocks = await startMocks()
})
afterAll(() => mocks.close())

const serverOf = (name: string) => mocks.servers[MOCK_PLATFORMS.indexOf(name as (typeof MOCK_PLATFORMS)[number])]!

async function ask(action: object): Promise<{ status: number; body: { done?: string; problem?: string } }> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(mocks.hostPage, { method: 'POST', headers, body: JSON.stringify(action) })
  return { status: answer.status, body: (await answer.json()) as { done?: string; problem?: string } }
}

describe.each(MOCK_PLATFORMS)('the mock %s', (name) => {
  test('is hosted from the one page for all', async () => {
    const server = serverOf(name)
    const platform = server.platform.name
    const known = new Set(server.meetings.keys())
    const { body } = await ask({ act: 'open', platform, scenario: 'waiting-room', speed: 2 })
    const code = [...server.meetings.keys()].find((candidate) => !known.has(candidate))!
    const meeting = server.meetings.get(code)!
    expect(body.done).toBe(meeting.url)
    expect(meeting.speed).toBe(2)
    await ask({ act: 'add', platform, code, name: 'Eve Ek', camera: true })
    const added = meeting.people.find((person) => person.name === 'Eve Ek')!
    await ask({ act: 'person', platform, code, id: added.id, what: 'camera' })
    expect(meeting.personView(added.id).camera).toBe(false)
    await ask({ act: 'say', platform, code, id: added.id, text: 'Hello' })
    expect(meeting.truth.chat.map(({ text }) => text)).toEqual(['Hello'])
    const early = await ask({ act: 'admit', platform, code })
    expect(early).toEqual({ status: 409, body: { problem: expect.stringContaining('no page of') } })
  })
})

test('the host page knows no platform but those it serves', async () => {
  expect(await ask({ act: 'open', platform: 'other', scenario: 'open', speed: 1 })).toMatchObject({ status: 409 })
})

test('the host page accepts actions from itself only', async () => {
  const action = JSON.stringify({ act: 'open', platform: 'google-meet', scenario: 'open', speed: 1 })
  const asForm = await fetch(mocks.hostPage, { method: 'POST', body: action })
  expect(asForm.status).toBe(415)
  const renamed = await new Promise<number | undefined>((resolve, reject) => {
    request(mocks.hostPage, { headers: { host: 'rebound.example' } }, (answer) => resolve(answer.statusCode))
      .on('error', reject)
      .end()
  })
  expect(renamed).toBe(421)
})
