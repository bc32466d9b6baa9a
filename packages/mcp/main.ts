#!/usr/bin/env node
/** `standin mcp`: the Model Context Protocol server on standard input and output, for assistants on this machine. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createStandinClient } from '@standin/client/index.ts'
import { Command } from 'commander'
import { LineTransport } from './line-transport.ts'
import { createMeetings } from './meetings.ts'
import { createMcpServer } from './server.ts'

const EXIT_MISTAKE = 2
const DEFAULT_URL = 'http://127.0.0.1:8080'

const program = new Command('standin mcp')
  .description(
    'Lets an assistant send bots into meetings: a Model Context Protocol server on standard input and output.',
  )
  .option('--url <address>', `of the service (STANDIN_URL; default: ${DEFAULT_URL})`)
  .option('--key-file <path>', 'file with an API key; otherwise STANDIN_API_KEY')
  .showHelpAfterError('(standin mcp --help explains)')
  .parse()

const { url = process.env.STANDIN_URL ?? DEFAULT_URL, keyFile } = program.opts<{ url?: string; keyFile?: string }>()

function fail(message: string): never {
  process.stderr.write(`standin mcp: ${message}\n`)
  process.exit(EXIT_MISTAKE)
}

function apiKey(): string {
  if (keyFile === undefined) return (process.env.STANDIN_API_KEY ?? '').trim()
  try {
    return readFileSync(keyFile, 'utf8').trim()
  } catch (error) {
    return fail(`--key-file: ${(error as Error).message}`)
  }
}

if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) fail(`${url} is no address of a service (--url)`)
const key = apiKey()
if (!/^[!-~]{8,200}$/.test(key)) fail('an API key is needed: STANDIN_API_KEY, or --key-file service-data/api-key')
delete process.env.STANDIN_API_KEY

const meetings = createMeetings(createStandinClient({ baseUrl: url, apiKey: key }))
const { version } = JSON.parse(readFileSync(packageFile(), 'utf8')) as { version: string }
await createMcpServer(meetings, { version }).connect(new LineTransport())

/** The nearest: of this workspace, of the installed package, or of the checkout around a build. */
function packageFile(folder = import.meta.dirname): string {
  const file = join(folder, 'package.json')
  return existsSync(file) ? file : packageFile(dirname(folder))
}
