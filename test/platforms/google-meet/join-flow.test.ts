import { expect, test } from 'vitest'
import { JoinFlow } from '../../../platforms/google-meet/join-flow.ts'
import type { MeetPage } from '../../../platforms/google-meet/page-script.ts'
import type { JoinForm } from '../../../platforms/shared/join/join-form.ts'
import { snapshot } from './snapshots.ts'

/** A form that is given what the flow decides; no test here gets as far as the button. */
const form = { holdsName: async () => false } as unknown as JoinForm

function joinFlow(expectsAccount: boolean) {
  const pressed: string[] = []
  const page = { press: async (name: string) => pressed.push(name) > 0 } as unknown as MeetPage
  return { pressed, flow: new JoinFlow(page, form, expectsAccount) }
}

test('a name box tells an account that its session has expired, and a guest nothing', async () => {
  const asked = snapshot({ nameBox: { value: '' } })
  await expect(joinFlow(true).flow.ask(asked)).rejects.toMatchObject({ code: 'LOGIN_REQUIRED' })
  await joinFlow(false).flow.ask(asked)
})

test('a page that offers to join without an account first is taken up on it', async () => {
  const { pressed, flow } = joinFlow(false)
  await flow.ask(snapshot({ withoutAccount: true }))
  expect(pressed).toEqual(['withoutAccount'])
})

test('a page that offers only to move the call here is given up after three looks', async () => {
  const { flow } = joinFlow(true)
  const looks = () => flow.ask(snapshot({ switchHere: true }))
  for (let look = 0; look < 3; look++) await looks()
  await expect(looks()).rejects.toMatchObject({ code: 'CANNOT_JOIN_MEETING' })
})
