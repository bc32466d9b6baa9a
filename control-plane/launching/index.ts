/** Starts bots when they are due and makes sure that each of them ends. */
import type { Meters } from '../platform/meters.ts'
import type { FileStore, JoinGrants, Launcher, Log, Seals } from '../platform/ports.ts'
import type { Traces } from '../platform/traces.ts'
import type { Database } from '../store/database.ts'
import { countOpenBots } from '../store/drain.ts'
import { listenForWakeUps } from '../store/wake-ups.ts'
import { startDueLoop } from './due/index.ts'
import type { ZoomApp } from './due/job.ts'
import type { LaunchTools } from './due/launch.ts'
import type { JoinParts } from './reconcile/assemble.ts'
import { type Reconciler, type ReconcilerSettings, startReconciler } from './reconcile/reconciler.ts'
import type { Recover } from './reconcile/recovery.ts'

/** How long a bot waits for its control plane before it asks to join without it, seconds. */
const WAIT_FOR_WELCOME_SECONDS = 60
/** Starts at once, by launcher. */
const CONCURRENCY = { process: 8, docker: 8, kubernetes: 50, simulated: 100 } as const
const DRAIN_POLL_MS = 1_000

export interface LaunchingSettings {
  database: Database
  /** Opens the connection on which other processes say that a bot is due. Null: only `wake` and polling. */
  databaseUrl: string | null
  launcher: Launcher
  files: FileStore
  seals: Seals
  /** Resolves the stored credentials that bots name. */
  grants: JoinGrants
  /** The operator's own app, for tokens without an app of the caller. */
  zoomApp?: ZoomApp | null
  words?: LaunchTools['words']
  egressOf?: LaunchTools['egressOf']
  recover: Recover
  /** Makes one recording of the parts of a bot that was resumed. */
  joinParts: JoinParts
  /** Whether a bot that crashes in its meeting rejoins it. */
  resumesBots: boolean
  log: Log
  meters?: Meters
  traces?: Traces
  /** Called after each pass of the reconciler. */
  onPass?: () => void
  /** Address of the control link, as bots reach it. */
  linkUrl: string
  waitForWelcomeSeconds?: number
  concurrency?: number
  leaseSeconds?: number
  reconciler?: Pick<
    ReconcilerSettings,
    | 'passMs'
    | 'everyAttemptMs'
    | 'orphansMs'
    | 'absentReadMs'
    | 'orphanSeconds'
    | 'forgottenSeconds'
    | 'finishLeaseSeconds'
    | 'now'
  >
}

export interface Launching {
  /** Looks for due bots now: call after a bot was created in this process. */
  wake(): void
  /** Compares bots and launcher now. */
  reconcile(): Promise<void>
  /** Starts no more bots, and resolves when none runs. Until then the reconciler still checks them. */
  drain(): Promise<void>
  /** Starts no more bots, waits for the starts under way, and leaves the bots running. */
  close(): Promise<void>
}

export function startLaunching(settings: LaunchingSettings): Launching {
  const { database, databaseUrl, launcher, log } = settings
  const reconciler: Reconciler = startReconciler({ ...settings, ...settings.reconciler, onDue: () => due.wake() })
  const due = startDueLoop({
    ...settings,
    onClaim: () => reconciler.wake(),
    waitForWelcomeSeconds: settings.waitForWelcomeSeconds ?? WAIT_FOR_WELCOME_SECONDS,
    concurrency: settings.concurrency ?? CONCURRENCY[launcher.kind],
    maxSleepMs: (withoutHintsMs) => hints?.maxSleepMs(withoutHintsMs) ?? withoutHintsMs,
  })
  const hints =
    databaseUrl === null
      ? null
      : listenForWakeUps(
          databaseUrl,
          'bots',
          () => due.wake(),
          (error) => log.warn({ error: String(error) }, 'The connection for wake-ups broke'),
        )
  let isClosed = false
  return {
    wake: () => due.wake(),
    reconcile: () => reconciler.pass(),
    async drain() {
      await due.close()
      while (!isClosed && (await countOpenBots(database)) > 0)
        await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS))
    },
    async close() {
      isClosed = true
      await Promise.all([due.close(), reconciler.close(), hints?.close()])
    },
  }
}
