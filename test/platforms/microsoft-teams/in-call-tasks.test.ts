import { expect, test } from 'vitest'
import type { TeamsChat } from '../../../platforms/microsoft-teams/chat.ts'
import { InCallTasks } from '../../../platforms/microsoft-teams/in-call-tasks.ts'
import type { TeamsPage } from '../../../platforms/microsoft-teams/page-script.ts'
import { HandClock } from '../../fakes/clock.ts'
import { snapshot } from './snapshots.ts'

test('the view is chosen also where the chat closes its menu for some seconds', async () => {
  const clock = new HandClock()
  const opensAt = clock.now() + 9000
  const chosen: string[] = []
  const browser = { page: { keyboard: { press: async () => {} } } }
  const press = async (name: string) => name === 'view' || (clock.now() > opensAt && chosen.push(name) > 0)
  const page = { clock, browser, press, wakePointer: async () => {} } as unknown as TeamsPage
  const tasks = new InCallTasks(page, { keepOpen: async () => {} } as unknown as TeamsChat, 'gallery_view')
  for (let second = 0; second < 30; second++) {
    void tasks.afterPoll(snapshot({ viewControl: true }), { kind: 'in_call', text: '', proofs: [] }, false)
    await clock.advance(1000)
  }
  expect(chosen).toEqual(['galleryView'])
})
