/** An assistant sends a real bot into a meeting through `standin mcp`, asks what was said, writes, and leaves. */
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packageRoot } from '../../../packages/core/process/page-scripts.ts'
import { startMock } from '../../../packages/mock/index.ts'
import { ServiceProcess } from '../../control-plane/service-process.ts'
import { speak, WITHOUT_CAMERAS } from '../../end-to-end/meeting-script.ts'

const LONG = { timeout: 120_000, interval: 200 }

let mock: Awaited<ReturnType<typeof startMock>>
let service: ServiceProcess
let assistant: Client

beforeAll(async () => {
  mock = await startMock('meet')
  service = await ServiceProcess.prepare({
    STANDIN_MAP_HOSTS: mock.hosts.map((host) => `${host}=${mock.address}`).join(','),
  })
  await service.start()
  assistant = new Client({ name: 'assistant', version: '1' })
  await assistant.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [
        join(packageRoot, 'packages/mcp/main.ts'),
        '--url',
        service.url,
        '--key-file',
        join(service.folder, 'api-key'),
      ],
    }),
  )
})

afterAll(async () => {
  await assistant?.close()
  await service?.dispose()
  await mock?.close()
})

async function ask(name: string, args: Record<string, unknown>): Promise<string> {
  const answer = await assistant.callTool({ name, arguments: args })
  const [content] = answer.content as { text: string }[]
  expect(answer.isError ?? false, content!.text).toBe(false)
  return content!.text
}

test('an assistant sends a bot into a meeting, learns what is said, writes, and leaves', async () => {
  const meeting = mock.open('waiting-room', { people: WITHOUT_CAMERAS })
  const sent = await ask('send_bot', { meeting_url: meeting.url, bot_name: 'Scribe' })
  const botId = /[0-9a-f-]{36}/.exec(sent)![0]

  let heard = ''
  let cursor: string | undefined
  const hears = (pattern: RegExp) =>
    expect
      .poll(async () => {
        const news = await ask('follow_bot', { bot_id: botId, wait_seconds: 5, ...(cursor && { cursor }) })
        cursor = /cursor: (?!none)(\S+)$/.exec(news)?.[1] ?? cursor
        heard += `\n${news}`
        return heard
      }, LONG)
      .toMatch(pattern)

  await hears(/status: in_waiting_room/)
  meeting.admit()
  await hears(/status: in_call_recording/)
  meeting.say('ben', 'Shall we begin?')
  await speak(meeting, 'ann', 8)
  await hears(/Ben <b>Bold<\/b> wrote: Shall we begin\?/)
  await hears(/Ann Host said: \S+/)
  expect(await ask('read_transcript', { bot_id: botId })).toMatch(/Ann Host said: \S+/)

  await ask('send_chat', { bot_id: botId, message: 'I take notes.' })
  expect(meeting.truth.chat.map(({ text }) => text)).toContain('I take notes.')
  await expect.poll(() => ask('read_chat', { bot_id: botId }), LONG).toContain('Scribe wrote: I take notes.')

  await ask('leave_meeting', { bot_id: botId })
  await hears(/status: completed/)
  expect(await ask('explain_bot', { bot_id: botId })).toMatch(/recording/i)
  const transcript = await ask('read_transcript', { bot_id: botId })
  const word = /Ann Host: (\p{L}+)/u.exec(transcript)![1]!
  expect(await ask('search_transcripts', { words: word })).toContain(botId)
})
