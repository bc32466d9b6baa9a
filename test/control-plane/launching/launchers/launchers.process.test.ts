/** The launchers that need nothing but this machine, held to the contract of all launchers. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createProcessLauncher } from '@standin/control-plane/launching/launchers/process/launcher.ts'
import type { Launcher, LaunchHandle } from '@standin/control-plane/platform/ports.ts'
import { expect } from 'vitest'
import { temporaryFolder } from '../../../fakes/at-end.ts'
import { quiet } from '../../world.ts'
import { startBotHost } from '../bot-host.ts'
import { NEEDS } from '../needs.ts'
import { startRelay } from '../relay.ts'
import { createSimulatedLauncher } from '../simulated.ts'
import type { Plan } from '../simulated-bot.ts'
import { type Does, describeLauncher, type LauncherBench, plainJob } from './launcher-contract.ts'

const PROGRAM = fileURLToPath(new URL('stand-in-bot.mjs', import.meta.url))

async function processBench(limits: { maxBots: number; spareBots?: number }): Promise<LauncherBench> {
  const launchers: Launcher[] = []
  async function open(folder: string): Promise<Launcher> {
    const launcher = await createProcessLauncher({
      folder,
      command: [process.execPath, PROGRAM],
      mapHosts: [],
      environment: { PATH: process.env.PATH },
      ...limits,
      needs: NEEDS,
      log: quiet,
    })
    launchers.push(launcher)
    const spares = () => readdirSync(folder).filter((name) => name.startsWith('spare-'))
    await expect.poll(spares).toHaveLength(limits.spareBots ?? 0)
    return launcher
  }
  const [folder, elsewhere] = [temporaryFolder(), temporaryFolder()]
  const logOf = ({ name }: LaunchHandle) =>
    readdirSync(join(folder, name)).includes('log') ? readFileSync(join(folder, name, 'log'), 'utf8') : ''
  return {
    launcher: await open(folder),
    job: (does, says = '') => plainJob({ extra: { does, says } }),
    reopen: () => open(folder),
    stranger: () => open(elsewhere),
    whenWaiting: (handle) => expect.poll(() => logOf(handle)).toContain('waiting'),
    runs: async (handle) => logOf(handle).match(/"arguments"/g)?.length ?? 0,
    engine: null,
    // The kernel's count is of the whole group of the service: process.test.ts tries it with files.
    runsOutOfMemory: false,
    keepsLogs: true,
    async close() {
      for (const launcher of launchers) {
        for (const { handle } of await launcher.list()) {
          await launcher.kill(handle)
          await expect.poll(async () => (await launcher.inspect(handle)).state).not.toBe('running')
        }
      }
    },
  }
}

const PLANS: Record<Does, Plan> = {
  'exit:0': { meetingMs: 20 },
  'exit:3': { isRefused: true },
  wait: { meetingMs: 3_600_000 },
  ignore: { meetingMs: 3_600_000, isDeaf: true },
  eat: { dies: 'before_joining', isOutOfMemory: true },
}

async function simulatedBench({ maxBots }: { maxBots: number }): Promise<LauncherBench> {
  const folder = temporaryFolder()
  const hosts = [await startBotHost()]
  const host = hosts[0]!
  host.limit = maxBots
  const relay = await startRelay({ host: '127.0.0.1', port: Number(new URL(host.url).port) })
  return {
    launcher: createSimulatedLauncher(relay.url),
    job: (does) =>
      plainJob({
        storage: { type: 'folder', path: folder },
        control_plane: { url: 'ws://127.0.0.1:9/link', token: 'token' },
        // There is no link that would acknowledge anything.
        extra: { plan: { ...PLANS[does], drainMs: 50 } },
      }),
    reopen: async () => createSimulatedLauncher(relay.url),
    async stranger() {
      hosts.push(await startBotHost())
      return createSimulatedLauncher(hosts.at(-1)!.url)
    },
    whenWaiting: async ({ name }) => {
      await expect.poll(() => host.bots.find((bot) => bot.name === name)?.bot.lastSeq ?? 0).toBeGreaterThan(3)
    },
    runs: async ({ name }) => host.bots.filter((bot) => bot.name === name).length,
    engine: { leave: () => relay.leave(), comeBack: () => relay.comeBack() },
    runsOutOfMemory: true,
    keepsLogs: false,
    async close() {
      await relay.close()
      await Promise.all(hosts.map((each) => each.close()))
    },
  }
}

describeLauncher('process', processBench)
describeLauncher('process, with bots that stand by', (limits) => processBench({ ...limits, spareBots: 2 }))
describeLauncher('simulated', simulatedBench)
