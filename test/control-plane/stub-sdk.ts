/** Loaded before a worker: its Meeting SDK is the stub of the mock Zoom, in the place of the npm package. */
import { registerHooks } from 'node:module'

const STUB = new URL('./stub-sdk-page.ts', import.meta.url).href

registerHooks({
  resolve(specifier, context, next) {
    const isWanted = specifier.endsWith('/page-server.ts') && context.parentURL?.endsWith('/meeting-sdk/driver.ts')
    return isWanted ? { url: STUB, shortCircuit: true } : next(specifier, context)
  },
})
