/** `/help`: the documentation, as the build wrote it. */
import { globSync } from 'node:fs'
import { refusals } from './errors.ts'
import type { App } from './generation.ts'
import { staticFiles } from './static-files.ts'

const HELP_PATH = '/help'

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** An address outside of the folder's files is unknown, so no path leads out of the folder. */
export function helpRoutes(app: App, folder: string): void {
  const send = staticFiles(folder, PAGE_POLICY)
  const files = new Map(
    globSync('**/*.*', { cwd: folder }).map((path) => [`${HELP_PATH}/${path}`.replace(/\/index\.html$/, ''), path]),
  )
  for (const route of [HELP_PATH, `${HELP_PATH}/*`])
    app.get(route, { schema: { hide: true } as object }, (request, reply) => {
      const path = request.url.split('?', 1)[0]!
      const file = files.get(path.replace(/\/$/, ''))
      if (file === undefined) throw refusals.notFound(request.method, path)
      return send(file, request, reply)
    })
}
