import { render } from 'preact'
import { App } from './app.tsx'
import { loadMe } from './session.ts'

const RETRY_MS = 3000

/** Loads the signed-in person before the first page is shown, and retries while the service restarts. */
async function start(): Promise<void> {
  try {
    await loadMe()
  } catch {
    setTimeout(start, RETRY_MS)
  }
}

render(<App />, document.getElementById('app')!)
void start()
