import { render } from 'preact'
import { App } from './app.tsx'
import { loadMe } from './session.ts'

const RETRY_MS = 3000

/** Who is signed in has to be known before anything is shown; a service that restarts answers a little later. */
async function start(): Promise<void> {
  try {
    await loadMe()
  } catch {
    setTimeout(start, RETRY_MS)
  }
}

render(<App />, document.getElementById('app')!)
void start()
