/** Writes the types of both generations of the API from the OpenAPI documents that the service serves: `npm run schemas`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ApiDependencies } from '@standin/control-plane/api/dependencies.ts'
import { buildApi } from '@standin/control-plane/api/http/server.ts'
import { openDatabase } from '@standin/control-plane/store/database.ts'
import openapiTS, { astToString } from 'openapi-typescript'
import { Registry } from 'prom-client'

/** Name of each file, and where its document is served. */
const FILES = { 'v2.ts': '/openapi.json', 'older.ts': '/openapi-older.json' } as const

/**
 * Name of each file and its whole content. The service is built without a database, which the documents do not need.
 */
export async function clientFiles(): Promise<Map<string, string>> {
  const database = openDatabase({ url: 'postgres://127.0.0.1:1/none', role: 'documents', connections: 1 })
  const app = await buildApi({
    database,
    keyDatabase: database,
    clock: Date,
    log: { info() {}, warn() {}, error() {} },
    files: null,
    metrics: new Registry(),
    settings: { publicUrl: 'http://127.0.0.1:8080' },
  } as unknown as ApiDependencies)
  try {
    await app.ready()
    const files = new Map<string, string>()
    for (const [name, path] of Object.entries(FILES)) {
      const answer = await app.inject(path)
      if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}`)
      const types = astToString(await openapiTS(answer.json(), { defaultNonNullable: false }))
      files.set(name, `/** Made from ${path} by generate.ts. */\n${types}`)
    }
    return files
  } finally {
    await app.close()
    await database.destroy()
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [name, content] of await clientFiles()) writeFileSync(join(import.meta.dirname, name), content)
