import { sessionOf } from '@standin/wire/account-session.ts'
import type { Page } from 'playwright'
import { beforeAll, expect, test } from 'vitest'
import { signInByHand } from '../../../platforms/browser/sign-in.ts'
import { HEADLESS_SHELL } from '../../headless-shell.ts'
import { type WorkerMocks, workerMocks } from '../worker-mocks.ts'

let mocks: WorkerMocks
beforeAll(async () => {
  mocks = await workerMocks()
})

const signIn = (whenSignedIn: (page: Page) => Promise<void>) =>
  signInByHand({
    url: 'https://accounts.google.com/v3/signin/identifier?continue=https%3A%2F%2Fmeet.google.com%2Flanding',
    ...{ display: null, chromium: HEADLESS_SHELL, mappedHosts: mocks.hostMap, signal: new AbortController().signal },
    whenSignedIn,
  })

test('the session is that of the browser in which a person signed in', async () => {
  const state = await signIn(async (page) => {
    await page.getByLabel('Email or phone').fill('notes@example.com')
    await page.getByRole('button', { name: 'Next' }).click()
    await page.waitForURL('https://meet.google.com/landing')
  })
  const read = sessionOf('meet', state)
  expect('session' in read && read.session.cookies).toMatchObject([
    { name: 'SID', value: expect.stringMatching(/^session-/) },
  ])
})

test('a browser that a person closes is an error', async () => {
  const closed = signIn((page) => page.close().then(() => page.context().browser()!.close()))
  await expect(closed).rejects.toThrow('closed')
})
