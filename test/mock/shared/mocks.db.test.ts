import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MOCK_PLATFORMS, type MockServers, startMocks } from '../../../mock/index.ts'

/** Scenarios that the conformance suite needs on every platform. */
const COMMON = ['waiting-room', 'open', 'invalid-link', 'login-wall', 'chat-disabled']

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
  test('has the scenarios that all platforms have', () => {
    expect(serverOf(name).scenarios.map((scenario) => scenario.name)).toEqual(expect.arrayContaining(COMMON))
  })

  test("gives its meetings links of the platform's hosts", () => {
    const server = serverOf(name)
    for (const scenario of COMMON) {
      const { protocol, hostname } = new URL(server.open(scenario).url)
      expect(protocol).toBe('https:')
      expect(server.hosts).toContain(hostname)
    }
  })

  test('opens every scenario with people whose names differ from their ids, and describes it in one sentence', () => {
    const server = serverOf(name)
    for (const { name: scenario, about } of server.scenarios) {
      const meeting = server.open(scenario)
      expect(about, scenario).toMatch(/^\S.{8,}$/)
      expect(meeting.state, scenario).toBe('none')
      for (const person of meeting.people) expect(person.name, scenario).not.toBe(person.id)
    }
  })

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
