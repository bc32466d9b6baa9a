/** The dashboard in Chromium in front of the real API, with stored files behind signed links, on a port that stays. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { buildApi } from '@standin/control-plane/api/http/server.ts'
import type { Answer } from '@standin/wire/control-link.ts'
import type { BotEvent } from '@standin/wire/events.ts'
import type { BrowserContextOptions, Page } from 'playwright'
import { Registry } from 'prom-client'
import { createArtifactLinks } from '../../../../control-plane/files/artifact-links.ts'
import { createFileHandler } from '../../../../control-plane/files/serve-file.ts'
import { openCommands, storeAnswer } from '../../../../control-plane/store/bots/commands.ts'
import type { Role } from '../../../../control-plane/store/people/people.ts'
import { freePort } from '../../../servers/free-port.ts'
import { type Base, openWorld } from '../../world.ts'
import { freshMeet, startReporting } from '../reporting.ts'
import type { Team } from '../world.ts'
import { DASHBOARD_FOLDER, enter, LONG, openBrowser } from './pages.ts'

export { LONG }
export const HOSTILE = `<img src=x onerror="document.title='owned'"> \u202Eevil`

/** Divides the intervals of the page. */
const FASTER = 10

/** Runs in the page: its timers, and the time that it measures, pass faster; the time of day does not. */
function passFaster(factor: number): void {
  const { setTimeout: realTimeout } = window
  const realNow = performance.now.bind(performance)
  window.setTimeout = ((run: () => void, ms = 0) => realTimeout(run, ms / factor)) as typeof setTimeout
  performance.now = () => realNow() * factor
}

export interface BotInMeeting {
  id: string
  report(...events: BotEvent[]): Promise<unknown>
}

export async function openBrowserWorld() {
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  let folder!: ReturnType<Base['folder']>
  const world = await openWorld({
    api: (base) => {
      folder = base.folder(address)
      return {
        links: createArtifactLinks(base.database, folder.files, 'https://standin.test'),
        files: createFileHandler(folder.files, folder.signer),
        settings: { publicUrl: address, version: '1.2.3', dashboardFolder: DASHBOARD_FOLDER },
      }
    },
  })
  const { root, files } = folder
  let app = world.app
  world.closes(() => app.close())
  await app.listen({ host: '127.0.0.1', port })
  const browser = await openBrowser()
  const locationOf = (key: string) => join(root, key)

  return {
    ...world,
    address,
    browser,
    files,
    locationOf,

    /** A page of a person of the team; `problems` are errors, refusals of the policy, and requests to other hosts. */
    async signIn(
      team: { teamId: string },
      role: Role = 'owner',
      options: BrowserContextOptions = {},
    ): Promise<{ page: Page; problems: string[] }> {
      const problems: string[] = []
      const prepare = async (page: Page) => {
        await page.addInitScript(passFaster, FASTER)
        page.on('pageerror', ({ message }) => problems.push(message))
        page.on('console', (message) => {
          if (/Content Security Policy/i.test(message.text())) problems.push(message.text())
        })
        page.on('request', (request) => {
          if (!request.url().startsWith(address) && !request.url().startsWith('data:')) problems.push(request.url())
        })
      }
      const page = await enter({ browser, world, address, teamId: team.teamId, name: HOSTILE, role, options, prepare })
      return { page, problems }
    },

    async botInMeeting(team: Team, name = HOSTILE): Promise<BotInMeeting> {
      const id = await world.bot(team, { bot_name: name, meeting_url: freshMeet() })
      return { id, ...(await startReporting(world.database, id)) }
    },

    /** Stores a file of the bot, and reports it as the bot does. */
    async storeFile({ id, report }: BotInMeeting, name: string, content: Uint8Array | string): Promise<void> {
      const key = `${id}/1/${id}/${name}`
      const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
      await files.write(key, bytes, 'application/octet-stream')
      const artifact = { name, location: locationOf(key), bytes: bytes.byteLength, sha256: null }
      await report({ type: 'artifact', artifact })
    },

    /** Answers the open questions for pictures of a bot as its link does; how many there were. */
    async answerPictures(botId: string, answer: Pick<Answer, 'ok' | 'code' | 'message'>): Promise<number> {
      const open = await openCommands(world.database, [botId])
      for (const { id } of open) await storeAnswer(world.database, botId, { type: 'answer', id, ...answer })
      return open.length
    },

    /** The process ends and another one takes its place, at the same port and with the same database. */
    async stop() {
      await app.close()
    },
    async startAgain() {
      app = await buildApi({ ...world.dependencies, metrics: new Registry() })
      await app.listen({ host: '127.0.0.1', port })
    },
  }
}

export const personOf = (name: string, id = 1) => ({ id, name, platform_id: randomUUID() })

export const lineOf = (speaker: string, text: string, start: number, end: number): BotEvent => ({
  type: 'transcript',
  text,
  is_final: true,
  speaker: personOf(speaker),
  start,
  end,
  language: 'en',
})

/** A small picture of one color. */
export async function pictureOf(page: Page, color: string, width = 1280, height = 720): Promise<Buffer> {
  const made = await page.context().newPage()
  await made.setViewportSize({ width, height })
  await made.setContent(`<body style="margin:0;background:${color}">`)
  const picture = await made.screenshot()
  await made.close()
  return picture
}

/** Silence as a sound file that plays and seeks. */
export function silence(seconds: number): Buffer {
  const rate = 8000
  const data = Buffer.alloc(seconds * rate, 128)
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + data.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.write('data', 36)
  head.writeUInt32LE(data.length, 40)
  return Buffer.concat([head, data])
}
