/** Serves a folder of recordings to a browser on this machine: a list, then each recording's own page, with ranges. */
import { open, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, relative, sep } from 'node:path'
import { POSTER } from '@standin/wire/file-names.ts'
import type { PlatformName } from '@standin/wire/platforms.ts'
import send from 'send'
import { pageStyle } from '../../packages/core/process/page-scripts.ts'
import { meetingName } from './meeting-name.ts'

export interface RecordingServer {
  /** Such as `http://127.0.0.1:8090/`. */
  url: string
  close(): Promise<void>
}

interface Recording {
  id: string
  /** UTC milliseconds. */
  changedAt: number
  names: string
  /** Name of platform and bot; empty without a final report. */
  title: string
  /** Such as `00:53:10`; empty if it is not known. */
  length: string
  hasVideo: boolean
  hasPoster: boolean
}

/** A browser may show these files with their own type. All others, such as a captured page, are sent as plain text. */
const OWN_TYPE = new Set(['.mp4', '.m4a', '.ogg', '.json', '.png', '.jpg', '.vtt'])
const REPORT = /^[^/]+\/report\.html$/
/** No scripts, and a separate origin: content that is served here cannot read the other recordings. */
const SANDBOX = 'sandbox'
/** The report needs its script, and its links open in other tabs. Its own policy allows only the script we wrote. */
const REPORT_SANDBOX = 'sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox'
const LIST_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; media-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'"
/** The final report is the last event but a few. */
const TAIL_BYTES = 256 * 1024
/** Each picture is a request of the browser for the beginning of a video. */
const MAX_PICTURES = 50
const HEADERS = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer', 'cache-control': 'no-cache' }

/** Listens on this machine only. Rejects if the folder cannot be read or the port is taken. */
export async function serveRecordings(folder: string, port = 0): Promise<RecordingServer> {
  await readdir(folder)
  const server = createServer((request, response) => {
    answer(folder, server, request, response).catch((error) => {
      console.error(error)
      if (!response.headersSent) response.writeHead(500, HEADERS)
      response.end()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${portOf(server)}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(folder: string, server: Server, request: IncomingMessage, response: ServerResponse) {
  // A foreign page that made its own name point here must not read recordings.
  const host = request.headers.host
  if (host !== `127.0.0.1:${portOf(server)}` && host !== `localhost:${portOf(server)}`) {
    response.writeHead(421, HEADERS).end('This server accepts only requests to 127.0.0.1\n')
    return
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { ...HEADERS, allow: 'GET, HEAD' }).end()
    return
  }
  const { pathname: path, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  if (path === '/') {
    response.writeHead(200, {
      ...HEADERS,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': LIST_POLICY,
    })
    response.end(listPage(await recordingsIn(folder), searchParams.get('q') ?? ''))
    return
  }
  const root = await realpath(folder)
  const file = await fileBelow(root, path)
  if (file === null) {
    response.writeHead(404, HEADERS).end('No such recording\n')
    return
  }
  send(request, file.split('/').map(encodeURIComponent).join('/'), {
    root,
    dotfiles: 'ignore',
    index: false,
    cacheControl: false,
  })
    .on('headers', (answering: ServerResponse) => {
      for (const [name, value] of Object.entries(HEADERS)) answering.setHeader(name, value)
      // Chromium does not play a media file that is sandboxed, and none of these types can hold a script.
      if (OWN_TYPE.has(extname(file))) return
      const isReport = REPORT.test(file)
      answering.setHeader('content-security-policy', isReport ? REPORT_SANDBOX : SANDBOX)
      if (!isReport) answering.setHeader('content-type', 'text/plain; charset=utf-8')
    })
    .on('directory', () => response.writeHead(404, HEADERS).end('No such recording\n'))
    .on('error', (error: { status?: number }) => response.writeHead(error.status ?? 500, HEADERS).end())
    .pipe(response)
}

/**
 * The file that a path of an address leads to, relative to `root`, with escapes decoded and symbolic links followed: the
 * rules above judge the file that is read. Null if there is none, or if it is outside `root`.
 */
async function fileBelow(root: string, path: string): Promise<string | null> {
  try {
    const file = relative(root, await realpath(join(root, decodeURIComponent(path))))
    return file === '' || file === '..' || file.startsWith(`..${sep}`) ? null : file
  } catch {
    // A broken escape, a null byte, or no file of that name.
    return null
  }
}

/** Folders with a report, newest first. */
async function recordingsIn(folder: string): Promise<Recording[]> {
  const root = await realpath(folder)
  const entries = await readdir(root, { withFileTypes: true })
  const found = await Promise.all(
    entries
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(async ({ name }): Promise<Recording | null> => {
        const info = await stat(join(root, name, 'report.html')).catch(() => null)
        if (!info?.isFile()) return null
        const has = async (file: string) => (await fileBelow(root, `${encodeURIComponent(name)}/${file}`)) !== null
        const [hasVideo, hasPoster] = await Promise.all([has('video.mp4'), has(POSTER)])
        const names = await namesIn(root, name)
        return { id: name, changedAt: info.mtimeMs, names, hasVideo, hasPoster, ...(await reportIn(root, name)) }
      }),
  )
  return found.filter((recording) => recording !== null).sort((one, other) => other.changedAt - one.changedAt)
}

async function namesIn(root: string, name: string): Promise<string> {
  const file = await fileBelow(root, `${encodeURIComponent(name)}/participants.json`)
  if (file === null) return ''
  try {
    const people = JSON.parse(await readFile(join(root, file), 'utf8')) as { name: string }[]
    return people.map(({ name }) => String(name)).join(', ')
  } catch {
    // A damaged list: the page of the recording shows more.
    return ''
  }
}

async function reportIn(root: string, name: string): Promise<Pick<Recording, 'title' | 'length'>> {
  const file = await fileBelow(root, `${encodeURIComponent(name)}/events.jsonl`)
  const last = file === null ? '' : await tailOf(join(root, file)).catch(() => '')
  for (const line of last.split('\n').reverse()) {
    if (!line.includes('"final_report"')) continue
    try {
      const { event } = JSON.parse(line) as { event: Record<string, unknown> }
      const { meeting_platform: platform, bot_name: bot, duration_seconds: seconds } = event
      const length = typeof seconds === 'number' ? new Date(seconds * 1000).toISOString().slice(11, 19) : ''
      return { title: `${meetingName(platform as PlatformName, '')} · ${String(bot)}`, length }
    } catch {
      // Half a line, or a damaged one.
    }
  }
  return { title: '', length: '' }
}

async function tailOf(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const start = Math.max(0, size - TAIL_BYTES)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

function listPage(all: readonly Recording[], search: string): string {
  const wanted = search.trim().toLowerCase()
  const recordings = all.filter(({ id, names, title }) => `${title} ${names} ${id}`.toLowerCase().includes(wanted))
  const rows = recordings.map(({ id, changedAt, names, title, length, hasVideo, hasPoster }, index) => {
    const folder = `/${encodeURIComponent(id)}`
    // Of a recording without a poster the browser shows the picture at this time, and loads little more.
    const picture = hasPoster
      ? `<img alt="" loading="lazy" src="${folder}/${POSTER}">`
      : hasVideo && index < MAX_PICTURES
        ? `<video muted preload="metadata" src="${folder}/video.mp4#t=3"></video>`
        : ''
    const time = new Date(changedAt).toISOString().slice(0, 16).replace('T', ' ')
    return `<li><a href="${folder}/report.html">${picture}<span><b>${text(title || 'Recording')}</b> ${length}<br>${text(names)}<br><small>${time} UTC · ${text(id)}</small></span></a></li>`
  })
  const none =
    all.length > 0 ? 'No recording fits the search.' : 'There is no recording with a report in this folder yet.'
  const list = rows.length > 0 ? `<ul>${rows.join('\n')}</ul>` : `<p>${none}</p>`
  const form = `<form><input type="search" name="q" value="${text(search)}" placeholder="Person, bot, platform, id" aria-label="Search"> <button>Search</button></form>`
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Recordings</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${pageStyle('report')} ${LIST_STYLE}</style></head>
<body><header><h1>Recordings</h1>${all.length > 0 ? form : ''}${list}</header></body></html>`
}

const LIST_STYLE = `form { display: flex; gap: .5rem; } form input { flex: 1; max-width: 30rem; } ul { list-style: none; padding: 0; } li { margin: .6rem 0; overflow-wrap: anywhere; }
li a { display: flex; gap: .8rem; align-items: center; color: inherit; text-decoration: none; } li a:hover b { text-decoration: underline; }
li :is(video, img) { width: 9rem; aspect-ratio: 16 / 9; flex: none; border-radius: 4px; background: #000; }`

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function text(words: string): string {
  return words.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}
