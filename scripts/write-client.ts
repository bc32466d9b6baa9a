/**
 * Writes the types of the client, `packages/client/v2.ts` and `packages/client/older.ts`, and those of the page of the dashboard,
 * `packages/client/dashboard.ts`, from the OpenAPI documents in `docs`. Git does not keep them: each build writes them first.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(import.meta.dirname, '..')

/** Each document below `docs`, and the file below `packages/client` with its types. */
export const OPENAPI_DOCUMENTS: ReadonlyMap<string, string> = new Map([
  ['openapi.json', 'v2.ts'],
  ['openapi-older.json', 'older.ts'],
  ['openapi-dashboard.json', 'dashboard.ts'],
])

type Generator = typeof import('../packages/client/node_modules/openapi-typescript/dist/index.d.mts')

/** Loads the generator only here: other scripts need the list of documents alone. */
export async function writeClient(): Promise<void> {
  // The generator needs TypeScript 5, so npm installs both in the client's own folder.
  const require = createRequire(join(root, 'packages/client/package.json'))
  const { default: openapiTS, astToString } = require('openapi-typescript') as Generator
  for (const [name, target] of OPENAPI_DOCUMENTS) {
    const document = JSON.parse(readFileSync(join(root, 'docs', name), 'utf8'))
    const types = astToString(await openapiTS(document, { defaultNonNullable: false }))
    const text = `/** Made from docs/${name} by scripts/write-client.ts. */\n${types}`
    const file = join(root, 'packages/client', target)
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue
    const fresh = `${file}.${process.pid}`
    writeFileSync(fresh, text)
    // In one step, so that no other program reads half a file.
    renameSync(fresh, file)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeClient()
