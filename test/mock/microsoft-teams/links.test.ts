import { describe, expect, test } from 'vitest'
import {
  invitationOf,
  launcherPath,
  launcherTarget,
  lightPath,
  newIds,
  pathOf,
  randomCode,
  readCoords,
  readPath,
} from '../../../mock/microsoft-teams/links.ts'

const ids = newIds('teams.microsoft.com', '2123456789012')
const onHost = (path: string) => new URL(path, 'https://teams.microsoft.com')

describe('a link', () => {
  test('is of the short form with a passcode, or of the long one with thread and context', () => {
    expect(invitationOf(ids, 'short')).toBe(`https://teams.microsoft.com/meet/2123456789012?p=${ids.passcode}`)
    expect(ids.passcode).toMatch(/^[A-Za-z0-9]{12}$/)
    expect(decodeURIComponent(invitationOf(ids, 'classic'))).toMatch(
      /^https:\/\/teams\.microsoft\.com\/l\/meetup-join\/19:meeting_[\w-]+@thread\.v2\/0\?context=\{"Tid":"[0-9a-f-]{36}","Oid":"[0-9a-f-]{36}"\}$/,
    )
  })

  test('names its meeting in every address of the chain', () => {
    for (const form of ['short', 'classic'] as const) {
      const path = pathOf(ids, form)
      const named = readPath(path)
      expect(named).toMatchObject({ form, code: ids.code })
      expect(launcherTarget(onHost(launcherPath(path)))).toBe(path)
      expect(readCoords(onHost(lightPath(named!, ids)))).toEqual(named)
    }
    expect(readPath(pathOf(ids, 'short'))?.passcode).toBe(ids.passcode)
  })

  test('without a passcode stays without one', () => {
    const named = readPath(`/meet/${ids.code}?anon=true`)
    expect(named).toEqual({ form: 'short', code: ids.code, passcode: undefined })
    expect(readCoords(onHost(lightPath(named!, ids)))?.passcode).toBeUndefined()
  })

  test.each([
    '/l/chat/0/0?users=a@b.example',
    '/l/meetup-join/19%3anothing%40thread.v2/0',
    '/l/meetup-join/%E0%A4%A/0',
    '/meet/12',
    '/meet/abc',
  ])('%s names no meeting', (path) => {
    expect(readPath(path)).toBeNull()
  })

  test('with coords that say nothing names no meeting', () => {
    expect(readCoords(onHost('/light-meetings/launch'))).toBeNull()
    expect(readCoords(onHost('/light-meetings/launch?coords=%7B'))).toBeNull()
    expect(launcherTarget(onHost('/dl/launcher/launcher.html?url=https%3A%2F%2Felsewhere.example'))).toBeNull()
  })

  test('is made of 13 digits that differ', () => {
    const codes = Array.from({ length: 50 }, randomCode)
    for (const code of codes) expect(code).toMatch(/^2\d{12}$/)
    expect(new Set(codes).size).toBe(50)
  })
})
