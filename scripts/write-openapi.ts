/**
 * Writes `docs/openapi.json`, `docs/openapi-older.json` and `docs/openapi-dashboard.json`: the documents
 * that the service serves, so that a review sees each change of the API. The types of the client and of the dashboard are made from
 * these files. Part of `npm run schemas`.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ApiDependencies } from '@standin/control-plane/api/dependencies.ts'
import { buildApi } from '@standin/control-plane/api/http/server.ts'
import { DEMO_LINK } from '@standin/control-plane/main/wiring/demo.ts'
import { openDatabase } from '@standin/control-plane/store/database.ts'
import { Registry } from 'prom-client'
import packageJson from '../package.json' with { type: 'json' }
import { OPENAPI_DOCUMENTS } from './write-client.ts'

/** Path of each document below `docs`, and its whole content. The service is built without a database, which the documents do not need. */
export async function openapiFiles(): Promise<Map<string, string>> {
  const { version } = packageJson
  const database = openDatabase({ url: 'postgres://127.0.0.1:1/none', role: 'documents', connections: 1 })
  const app = await buildApi({
    database,
    acrossTeams: database,
    keyDatabase: database,
    // The examples hold a time of the next day.
    clock: { now: () => Date.UTC(2026, 10, 30) },
    log: { info() {}, warn() {}, error() {} },
    files: null,
    metrics: new Registry(),
    probes: {},
    settings: { publicUrl: 'http://127.0.0.1:8080', version, demoLink: DEMO_LINK },
  } as unknown as ApiDependencies)
  try {
    await app.ready()
    const files = new Map<string, string>()
    for (const name of OPENAPI_DOCUMENTS.keys()) {
      const answer = await app.inject(`/${name}`)
      if (answer.statusCode !== 200) throw new Error(`/${name} answered ${answer.statusCode}`)
      files.set(name, `${JSON.stringify(answer.json(), null, 2)}\n`)
    }
    return files
  } finally {
    await app.close()
    await database.destroy()
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [name, content] of await openapiFiles())
    writeFileSync(join(import.meta.dirname, '..', 'docs', name), content)
