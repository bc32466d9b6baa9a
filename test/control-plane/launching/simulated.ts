/** A launcher whose bots are simulated; they live in a `BotHost`, so they outlive whichever process launched them. */
import { type Launcher, type LaunchState, NoRoom } from '../../../control-plane/platform/ports.ts'

class Away extends Error {}

export function createSimulatedLauncher(hostUrl: string): Launcher {
  async function call<T>(verb: string, body: object = {}): Promise<T> {
    const response = await fetch(`${hostUrl}/${verb}`, { method: 'POST', body: JSON.stringify(body) }).catch(
      (error) => {
        throw new Away('The host of simulated bots does not answer', { cause: error })
      },
    )
    if (!response.ok) throw new Error(await response.text())
    return (await response.json()) as T
  }

  return {
    kind: 'simulated',
    async start({ botId, attempt, job }) {
      const name = `standin-${botId}-${attempt}`
      const { noRoom, failure } = await call<{ noRoom?: string; failure?: string }>('start', {
        name,
        botId,
        attempt,
        job,
      }).catch((error) => {
        throw error instanceof Away ? new NoRoom(error.message) : error
      })
      if (noRoom !== undefined) throw new NoRoom(noRoom)
      if (failure !== undefined) throw new Error(failure)
      return { name }
    },
    async stop({ name }, patienceMs) {
      await call('stop', { name })
      setTimeout(() => call('kill', { name }).catch(() => {}), patienceMs).unref()
    },
    kill: ({ name }) => call('kill', { name }),
    async inspect({ name }) {
      const state = await call<LaunchState>('inspect', { name }).catch((error): LaunchState => {
        if (error instanceof Away) return { state: 'unknown', reason: error.message }
        throw error
      })
      if (state.state !== 'ended') return state
      const { endedAt } = state.evidence
      return { ...state, evidence: { ...state.evidence, endedAt: endedAt && new Date(endedAt) } }
    },
    list: () => call('list'),
    clean: ({ name }) => call('clean', { name }),
    capacity: () => call<Awaited<ReturnType<Launcher['capacity']>>>('capacity').catch(() => null),
  }
}
