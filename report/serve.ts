/** Serves a folder of recordings to a browser on this machine: a list, then each recording's own page, with ranges. */
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, relative, sep } from 'node:path'
import send from 'send'
import { pageStyle } from '../core/process/page-scripts.ts'

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
}

/** A browser may show these files with their own type. All others, such as a captured page, are sent as plain text. */
const OWN_TYPE = new Set(['.mp4', '.m4a', '.ogg', '.json', '.png', '.vtt'])
const REPORT = /^[^/]+\/report\.html$/
/** No scripts, and a separate origin: content that is served here cannot read the other recordings. */
const SANDBOX = 'sandbox'
/** The report needs its script, and its links open in other tabs. Its own policy allows only the script we wrote. */
const REPORT_SANDBOX = 'sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox'
const LIST_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
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
  const path = new URL(request.url ?? '/', 'http://localhost').pathname
  if (path === '/') {
    response.writeHead(200, {
      ...HEADERS,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': LIST_POLICY,
    })
    response.end(listPage(await recordingsIn(folder)))
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
        return info?.isFile() ? { id: name, changedAt: info.mtimeMs, names: await namesIn(root, name) } : null
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

function listPage(recordings: readonly Recording[]): string {
  const rows = recordings.map(
    ({ id, changedAt, names }) =>
      `<li><a href="/${encodeURIComponent(id)}/report.html">${new Date(changedAt).toISOString().slice(0, 16).replace('T', ' ')}</a> ${text(names)} <small>${text(id)}</small></li>`,
  )
  const list =
    rows.length > 0 ? `<ul>${rows.join('\n')}</ul>` : '<p>There is no recording with a report in this folder yet.</p>'
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Recordings</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${pageStyle('report')} li { margin: .4rem 0; overflow-wrap: anywhere; }</style></head>
<body><header><h1>Recordings</h1>${list}</header></body></html>`
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function text(words: string): string {
  return words.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}
