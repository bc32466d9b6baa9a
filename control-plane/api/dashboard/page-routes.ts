/** Serves the dashboard's page: one document for every path below `/dashboard`, its script and its worker, one stylesheet. */
import type { App } from '../http/generation.ts'
import { staticFiles } from '../http/static-files.ts'
import { DASHBOARD_PATH } from './addresses.ts'

/** Pictures and recordings come from where files are stored, which may be S3. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' https: data:",
  "media-src 'self' https:",
  "connect-src 'self' https:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** `folder`: what the build made. */
export function pageRoutes(app: App, folder: string): void {
  const send = staticFiles(folder, PAGE_POLICY)
  // Relative, so that it is right behind a proxy with a path, too.
  app.get('/', (_request, reply) => reply.redirect(DASHBOARD_PATH.slice(1)))
  for (const name of ['app.js', 'feed.js', 'app.css'])
    app.get(`${DASHBOARD_PATH}/${name}`, (request, reply) => send(name, request, reply))
  for (const path of [DASHBOARD_PATH, `${DASHBOARD_PATH}/*`])
    app.get(path, (request, reply) => send('index.html', request, reply))
}
