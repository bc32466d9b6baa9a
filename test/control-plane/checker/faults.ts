/** Faults of the service and of what it needs. A fault begins, and lasts for a time if something ends it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Chaos, LEASE_SECONDS } from './chaos.ts'
import { fillDisk } from './disk.ts'
import type { RoleSettings } from './role-process.ts'

type Place = RoleSettings['role'] | 'followers' | 'frozen' | 'database' | 'network' | 'recordings' | 'clocks'

export interface Fault {
  name: string
  /** Two faults of one place do not happen at once. */
  places: readonly Place[]
  lastsSeconds?: number
  /** Resolves with what ends it, or with nothing if it is over. */
  begin(chaos: Chaos): Promise<(() => unknown) | undefined>
}

const kill = (role: RoleSettings['role']): Fault => ({
  name: `kills of ${role}`,
  places: [role],
  begin: (chaos) => chaos.restart(chaos.pick(role)),
})

const LONGER_THAN_LEASES = LEASE_SECONDS + 1.5
const SLOWEST_MS = 400
/** The database's clock only steps far forward: what is due is late by each step back. */
const CLOCK_STEPS = { forward: 3_600, back: 20, ofProcess: 1_800 }

export const SHORT_FAULTS: readonly Fault[] = [
  kill('launcher'),
  kill('links'),
  kill('dispatcher'),
  kill('api'),
  { name: 'kills of the database', places: ['database'], begin: (chaos) => chaos.killDatabase() },
  { name: 'cut links', places: ['network'], begin: (chaos) => chaos.cutLinks() },
  { name: 'cut followers', places: ['followers'], begin: (chaos) => chaos.cutFollowers() },
  {
    name: 'frozen launchers',
    // The frozen one may be killed meanwhile.
    places: ['frozen'],
    lastsSeconds: LONGER_THAN_LEASES,
    async begin(chaos) {
      const { process: launcher } = chaos.pick('launcher')
      launcher.kill('SIGSTOP')
      return () => launcher.kill('SIGCONT')
    },
  },
]

/** They need a database clock apart from the machine's, and an older version (`isLong`). */
export const LONG_FAULTS: readonly Fault[] = [
  ...SHORT_FAULTS,
  {
    name: 'three kills of the database in a row',
    places: ['database'],
    async begin(chaos) {
      for (let times = 0; times < 3; times++) {
        await chaos.killDatabase()
        await sleep(chaos.random() * 1_500)
      }
      return undefined
    },
  },
  {
    name: 'a database that is slow for a minute',
    places: ['network'],
    lastsSeconds: 60,
    async begin(chaos) {
      const set = (delay: () => number) => {
        for (const { proxy } of chaos.roles) proxy.delayMs = delay()
      }
      set(() => chaos.random() * SLOWEST_MS)
      return () => set(() => 0)
    },
  },
  {
    name: 'a partition between a launcher and the database',
    places: ['launcher', 'network'],
    lastsSeconds: 2 * LONGER_THAN_LEASES,
    async begin(chaos) {
      const { proxy } = chaos.pick('launcher')
      proxy.delayMs = Number.POSITIVE_INFINITY
      return () => {
        proxy.delayMs = 0
      }
    },
  },
  {
    name: 'a step of the database clock',
    places: ['database', 'clocks'],
    async begin(chaos) {
      const isForward = chaos.random() < 0.7
      await chaos.stepDatabaseClock(chaos.random() * (isForward ? CLOCK_STEPS.forward : -CLOCK_STEPS.back))
      return undefined
    },
  },
  {
    name: 'a step of the clock of every process, each by another time',
    places: ['launcher', 'links', 'dispatcher', 'api', 'clocks'],
    async begin(chaos) {
      for (const role of chaos.roles) chaos.stepClock(role, (2 * chaos.random() - 1) * CLOCK_STEPS.ofProcess)
      return undefined
    },
  },
  {
    name: 'an older version beside this one',
    places: ['launcher', 'links', 'dispatcher'],
    lastsSeconds: 20,
    async begin(chaos) {
      const some = (['launcher', 'links', 'dispatcher'] as const).map((role) => chaos.pick(role))
      await Promise.all(some.map((role) => chaos.restart(role, true)))
      return () => Promise.all(some.map((role) => chaos.restart(role, false)))
    },
  },
]

/** They need root, who may mount the disks. */
export const DISK_FAULTS: readonly Fault[] = [
  {
    name: 'a full disk of the database',
    places: ['database'],
    lastsSeconds: 10,
    async begin(chaos) {
      const makeRoom = fillDisk(chaos.disks.database)
      return async () => {
        makeRoom()
        // A server that could not write its log has ended.
        await chaos.startDatabase()
      }
    },
  },
  {
    name: 'a full disk of the recordings',
    places: ['recordings'],
    lastsSeconds: 10,
    begin: async (chaos) => fillDisk(chaos.disks.recordings),
  },
]
