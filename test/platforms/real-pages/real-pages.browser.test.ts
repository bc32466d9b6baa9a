import { readFileSync } from 'node:fs'
import { afterAll, test } from 'vitest'
import { type Platform, RealPages } from './readings.ts'

interface Wanted {
  chat?: { sender: string | null; text: string; replyTo?: string }[]
  people?: string[]
  captions?: { name: string; text: string }[]
  elements?: Record<string, string>
  snapshot?: Record<string, unknown>
  kind?: string
  phase?: string
}

interface Page {
  name: string
  platform: Platform
  html: string
  wanted: Wanted
}

const { pages } = JSON.parse(readFileSync(new URL('pages.json', import.meta.url), 'utf8')) as { pages: Page[] }
const reader = new RealPages()
afterAll(() => reader.close())

// Each page gets some seconds to report, so several pages are read at once.
test.concurrent.for(pages)('$name', async ({ platform, html, wanted }, { expect }) => {
  const wait = wanted.people ? 'people' : wanted.captions ? 'captions' : undefined
  await reader.read(platform, html, wait, async (seen) => {
    const { events, snapshot, kind, phase, page } = seen
    if (wanted.chat) {
      const chat = events.flatMap((event) => (event.type === 'chat_message' ? [event.message] : []))
      const read = chat.map(({ isOwn, senderName, text, replyTo }, index) => ({
        sender: isOwn ? null : senderName,
        text,
        ...(wanted.chat?.[index]?.replyTo !== undefined && { replyTo }),
      }))
      expect(read).toEqual(wanted.chat)
    }
    if (wanted.people) {
      const joined = events.flatMap((event) => (event.type === 'participant_joined' ? [event.participant.name] : []))
      expect(joined).toEqual(wanted.people)
    }
    if (wanted.captions) {
      const captions = events.flatMap((event) =>
        event.type === 'caption' ? [{ name: event.name, text: event.text }] : [],
      )
      expect(captions).toEqual(wanted.captions)
    }
    for (const [name, selector] of Object.entries(wanted.elements ?? {})) {
      const element = await page.element(name)
      expect(await element?.evaluate((found, wantedOne) => found.matches(wantedOne), selector), name).toBe(true)
    }
    if (wanted.snapshot) expect(snapshot).toMatchObject(wanted.snapshot)
    if (wanted.kind) expect(kind).toBe(wanted.kind)
    if (wanted.phase) expect(phase).toBe(wanted.phase)
  })
})
