/**
 * Serves the bot's own page with the SDK on this machine: the SDK needs a secure context, which 127.0.0.1 is, and
 * cross-origin isolation for its gallery (docs/platform-notes/zoom.md#loading-the-sdk and #cross-origin-isolation). No
 * file or address here contains a secret.
 */
import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, extname, join, normalize, sep } from 'node:path'

const SDK_VERSION = '6.2.0'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.cur': 'image/x-icon',
  '.data': 'application/octet-stream',
  '.gif': 'image/gif',
  '.html': 'text/html; charset=utf-8',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.mp3': 'audio/mpeg',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.wasm': 'application/wasm',
  '.wav': 'audio/wav',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

/**
 * Headers of every answer: the page is isolated in its process, and images of other sites load without their cookies.
 */
const ISOLATION = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'credentialless',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

/** In this order; the SDK needs them in the page (docs/platform-notes/zoom.md#loading-the-sdk). */
const VENDORS = ['react', 'react-dom', 'redux', 'redux-thunk', 'react-redux', 'lodash'] as const

export interface SdkPage {
  /** `http://127.0.0.1:<port>`. */
  origin: string
  /** The address that the browser opens; other programs on this machine cannot guess it. */
  url: string
  /** Where the SDK goes after the end. */
  leaveUrl: string
  /** Where its libraries are, for `setZoomJSLib`. */
  sdkBase: string
  close(): Promise<void>
}

/**
 * `sdkBase` is the address of the SDK's files; null serves those of the npm package, and rejects if that is not
 * installed.
 */
export async function serveSdkPage(sdkBase: string | null): Promise<SdkPage> {
  const folder = sdkBase === null ? sdkFolder() : null
  const secret = randomBytes(12).toString('hex')
  const base = sdkBase ?? `/${secret}/sdk`
  const server = createServer((request, response) => {
    answer(request, response, { secret, base, folder }).catch(() => {
      if (!response.headersSent) response.writeHead(500)
      response.end()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    url: `${origin}/${secret}/meeting`,
    leaveUrl: `${origin}/${secret}/left`,
    sdkBase: sdkBase ?? `${origin}${base}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { secret, base, folder }: { secret: string; base: string; folder: string | null },
): Promise<void> {
  const path = decodeURIComponent(new URL(request.url ?? '/', 'http://127.0.0.1').pathname)
  const inner = path.startsWith(`/${secret}/`) ? path.slice(secret.length + 2) : null
  if (request.method !== 'GET' || inner === null) send(response, 404)
  else if (inner === 'meeting') send(response, 200, meetingDocument(base))
  else if (inner === 'left') send(response, 200, LEFT)
  else if (inner.startsWith('sdk/') && folder !== null) await sendFile(response, folder, inner.slice('sdk/'.length))
  else send(response, 404)
}

function send(response: ServerResponse, status: number, html = ''): void {
  response.writeHead(status, { ...ISOLATION, 'content-type': TYPES['.html'] }).end(html)
}

async function sendFile(response: ServerResponse, folder: string, name: string): Promise<void> {
  const file = normalize(join(folder, name))
  const info = file.startsWith(folder + sep) ? await stat(file).catch(() => null) : null
  if (!info?.isFile()) return send(response, 404)
  const type = TYPES[extname(file)] ?? 'application/octet-stream'
  response.writeHead(200, { ...ISOLATION, 'content-type': type, 'content-length': info.size })
  const stream = createReadStream(file)
  stream.on('error', () => response.destroy())
  stream.pipe(response)
}

/** Throws a sentence for the operator where the package is missing: it is an optional dependency. */
export function sdkFolder(): string {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('@zoom/meetingsdk/package.json')), 'dist')
  } catch (cause) {
    throw new Error('The package @zoom/meetingsdk is not installed; run: npm install @zoom/meetingsdk', { cause })
  }
}

/** The SDK adds its own elements to the body. */
function meetingDocument(base: string): string {
  const scripts = [
    ...VENDORS.map((name) => `${base}/lib/vendor/${name}.min.js`),
    `${base}/zoom-meeting-${SDK_VERSION}.min.js`,
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Meeting</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}/ui/zoom-meetingsdk.css">
</head>
<body>
${scripts.map((source) => `<script src="${source}"></script>`).join('\n')}
</body>
</html>
`
}

const LEFT =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Left</title><p>The meeting was left.</p></html>'
