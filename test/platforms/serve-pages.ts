import { onTestFinished } from 'vitest'
import { startPages } from './shown-pages.ts'

/** `startPages` for one test. */
export async function servePages(...scripts: Parameters<typeof startPages>) {
  const pages = await startPages(...scripts)
  onTestFinished(() => pages.close())
  return pages
}
