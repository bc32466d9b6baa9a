/**
 * Compares what is stored with what the launcher knows, again and again, and acts on the difference. It keeps no state
 * that matters: any number of reconcilers may run at once, and each may be killed at any time.
 */
import { randomUUID } from 'node:crypto'
import { spread } from '@standin/wire/time/backoff.ts'
import { inTurn } from '@standin/wire/time/in-turn.ts'
import { startLoop } from '@standin/wire/time/loop.ts'
import { changeBot } from '../../bots/actions/change-bot.ts'
import { launchFailed } from '../../bots/crash.ts'
import { isOver, namedAttempt } from '../../bots/row.ts'
import { type Meters, NO_METERS, type ReconcilerAction, type ReconcilerReason } from '../../platform/meters.ts'
import type { EndEvidence, LaunchHandle, LaunchState } from '../../platform/ports.ts'
import { readBot } from '../../store/bots/bots.ts'
import { botsToAssemble, expiredLeases, hasOpenAttempts } from '../../store/bots/claims.ts'
import {
  closeLaunch,
  knownLaunches,
  launchEnded,
  launchesStarted,
  type OpenLaunch,
  openLaunches,
} from '../../store/launches/launches.ts'
import { LaunchWriter } from '../due/launch-writer.ts'
import { endWithout } from '../launchers/shared/evidence.ts'
import { reasonToStop } from './action-reason.ts'
import { assembleBot } from './assemble.ts'
import { endAttempt, type FinishTools, finishBot } from './finish.ts'
import { ingestJournal } from './journal.ts'
import { recoverPart } from './part.ts'
import { UploadWatch } from './upload-watch.ts'
import { STOP_PATIENCE_SECONDS, type Verdict, verdictOn } from './verdict.ts'

const PASS_MS = 2_000
/** Spreads the passes of several reconcilers. */
const JITTER = 0.2
/** Maximum of passes in a row that are skipped while there is no attempt to check. */
const MAX_REST_PASSES = 4
/** How often every attempt is checked; in between, only attempts with a reason to. */
const EVERY_ATTEMPT_MS = 10_000
/** How often the launcher's whole list is compared with what is stored. */
const ORPHANS_MS = 60_000
/** How often the stored journal is read of a bot that the launcher does not know, such as one of an older copy of the database. */
const ABSENT_READ_MS = 60_000
/** Seconds that an unknown bot of the launcher is left alone: it may be about to be stored. */
const ORPHAN_SECONDS = 600
const MAX_LAUNCHES = 20_000
/** Attempts that are checked at the same time. */
const CONCURRENCY = 8
/** Dead bots that are finished beside the passes; further ones are left to a later pass. */
const MAX_FINISHING = 500
/** Limits of journals that are read, and of recordings that are recovered, at the same time. */
const AT_ONCE = { journals: 8, recoveries: 8 }
/** Seconds after which the parts of a recording are joined without those that could not be recovered. */
const PATIENCE_FOR_PARTS_SECONDS = 1800

export interface ReconcilerSettings
  extends Omit<FinishTools, 'owner' | 'unreadableSince' | 'readInTurn' | 'recoverInTurn'> {
  /** Called after each pass. */
  onPass?: () => void
  passMs?: number
  everyAttemptMs?: number
  orphansMs?: number
  absentReadMs?: number
  orphanSeconds?: number
  forgottenSeconds?: number
  /** Milliseconds of a clock that never jumps, for the growth of uploads. */
  now?: () => number
}

export interface Reconciler {
  /** One whole pass now, for commands and tests. Does not wait for recoveries. */
  pass(): Promise<void>
  /** There is an attempt now: passes run at their usual pace again. */
  wake(): void
  /** Stops the running recoveries, which another reconciler or the next start begins again. */
  close(): Promise<void>
}

export function startReconciler(settings: ReconcilerSettings): Reconciler {
  const reconciling = new Reconciling(settings)
  const { log, passMs = PASS_MS } = settings
  let isResting = false
  let passes = 1

  async function round(): Promise<number> {
    isResting = false
    const hadWork = await reconciling.pass(false)
    settings.onPass?.()
    passes = hadWork ? 1 : Math.min(passes + 1, MAX_REST_PASSES)
    isResting = passes > 1
    return spread(passMs * passes, JITTER)
  }

  const loop = startLoop(round, {
    onError(error) {
      passes = 1
      log.error({ error: String(error) }, 'Bots could not be reconciled')
    },
    afterErrorMs: passMs,
  })
  return {
    async pass() {
      await reconciling.pass(true)
    },
    wake() {
      if (isResting) loop.wake()
    },
    async close() {
      await Promise.all([loop.close(), reconciling.close()])
    },
  }
}

class Reconciling {
  readonly #settings: ReconcilerSettings
  readonly #tools: FinishTools
  readonly #meters: Meters
  readonly #writer: LaunchWriter
  #allLookedAt = Number.NEGATIVE_INFINITY
  #orphansLookedAt = Number.NEGATIVE_INFINITY
  /** When an unknown bot was first seen. */
  readonly #orphans = new Map<string, number>()
  /**
   * Attempts that were asked to end, and when: after a second SIGTERM they would leave things out. Null: the launcher could
   * not send it.
   */
  readonly #asked = new Map<string, number | null>()
  /** Attempts that the launcher does not know, and when their journals were read. */
  readonly #absent = new Map<string, number>()
  /** Attempts whose bots are being finished. A recovery takes minutes, and no pass waits for it. */
  readonly #finishing = new Map<string, Promise<void>>()
  readonly #closing = new AbortController()
  readonly #uploads: UploadWatch

  constructor(settings: ReconcilerSettings) {
    this.#settings = settings
    this.#meters = settings.meters ?? NO_METERS
    this.#tools = {
      ...settings,
      owner: randomUUID(),
      unreadableSince: new Map(),
      readInTurn: inTurn(AT_ONCE.journals),
      recoverInTurn: inTurn(AT_ONCE.recoveries),
    }
    this.#writer = new LaunchWriter(settings.database, settings.launcher)
    this.#uploads = new UploadWatch(settings.files, settings.now)
  }

  #count(action: ReconcilerAction, reason: ReconcilerReason): void {
    this.#meters.count('reconciler_actions', { action, reason })
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#finishing.values())
  }

  /** Whether there was an attempt to check. */
  async pass(isWhole: boolean): Promise<boolean> {
    const { database, launcher } = this.#settings
    const now = performance.now()
    const looksForOrphans = isWhole || now - this.#orphansLookedAt >= (this.#settings.orphansMs ?? ORPHANS_MS)
    const hasWork = await hasOpenAttempts(database, launcher.kind)
    if (!hasWork && !looksForOrphans) return false
    const listed = new Listed(() => launcher.list())
    await this.#takeBackLeases(listed)

    const everyMs = this.#settings.everyAttemptMs ?? EVERY_ATTEMPT_MS
    const looksAtAll = isWhole || now - this.#allLookedAt >= everyMs
    if (looksAtAll) this.#allLookedAt = now
    const readMs = this.#settings.absentReadMs ?? ABSENT_READ_MS
    for (const [key, at] of this.#absent) if (now - at >= readMs) this.#absent.delete(key)
    const launches = await openLaunches(database, launcher.kind, looksAtAll ? 'all' : 'suspect', MAX_LAUNCHES)
    const oneOfFew = inTurn(CONCURRENCY)
    await Promise.all(launches.map((launch) => oneOfFew(() => this.#reconcile(launch, listed))))
    this.#uploads.forgetOld()
    for (const botId of await botsToAssemble(database, PATIENCE_FOR_PARTS_SECONDS, MAX_FINISHING))
      this.#finishBeside(botId, { bot: botId }, (signal) => assembleBot(this.#tools, botId, signal))
    if (looksForOrphans) {
      this.#orphansLookedAt = now
      await this.#removeOrphans(listed, now)
    }
    return hasWork
  }

  /** Bots whose launcher took them and did not come back: found at the launcher, or due again. */
  async #takeBackLeases(listed: Listed): Promise<void> {
    const { database, log } = this.#settings
    for (const { id, team, attempt, owner } of await expiredLeases(database, 1000)) {
      const handle = await listed.handleOf(id, attempt)
      if (handle !== null) {
        await this.#writer.store({ botId: id, attempt, handle })
        this.#count('adopt', 'launcher_gone')
        log.warn({ team, bot: id, attempt }, 'Bot of a launcher that did not come back was found')
        continue
      }
      const reason = 'The launcher that took the bot did not come back.'
      const isOurs = await changeBot(database, id, (bot, now) =>
        bot.phase === 'launching' && bot.lease_owner === owner ? launchFailed(bot, reason, now) : null,
      )
      if (!isOurs) continue
      this.#count('take_back', 'launcher_gone')
      this.#meters.count('lease_losses', { work: 'launch', how: 'expired' })
      log.warn({ team, bot: id, attempt }, 'Bot is due again: its launcher did not come back')
    }
  }

  async #reconcile(launch: OpenLaunch, listed: Listed): Promise<void> {
    const { launcher, log } = this.#settings
    const { bot_id: botId, team_id: team, attempt } = launch
    if (this.#finishing.has(keyOf(launch))) return
    try {
      const handle = launch.handle ?? (await this.#adopt(launch, listed))
      const state: LaunchState = handle === null ? { state: 'absent' } : await launcher.inspect(handle)
      const quiet_for = await this.#quietFor(launch)
      await this.#act(
        { ...launch, handle },
        verdictOn({ ...launch, quiet_for }, state, this.#settings.forgottenSeconds),
        state.state === 'running',
      )
    } catch (error) {
      log.error({ team, bot: botId, attempt, error: String(error) }, 'Bot could not be reconciled')
    }
  }

  /** An upload that grows is progress too. Null if it cannot be seen whether one does. */
  async #quietFor({ bot_id: botId, team_id: team, attempt, quiet_for }: OpenLaunch): Promise<number | null> {
    if (quiet_for === null) return null
    try {
      return Math.min(quiet_for, await this.#uploads.secondsWithoutGrowth(botId, attempt))
    } catch (error) {
      this.#settings.log.warn({ team, bot: botId, attempt, error: String(error) }, 'The size of an upload is unknown')
      return null
    }
  }

  /** An attempt whose start was not written down. While its lease lasts, its launcher does that. */
  async #adopt({ bot_id: botId, attempt, phase, named_attempt }: OpenLaunch, listed: Listed) {
    if (phase === 'launching' && attempt === named_attempt) return null
    const handle = await listed.handleOf(botId, attempt)
    if (handle !== null) await launchesStarted(this.#settings.database, [{ botId, attempt, handle }])
    return handle
  }

  async #act(launch: OpenLaunch, verdict: Verdict, isRunning: boolean): Promise<void> {
    const { database } = this.#settings
    const { bot_id: botId, team_id: team, attempt, handle } = launch
    switch (verdict.do) {
      case 'wait':
        // The mark of its bot says that it was asked.
        if (isRunning && !isOver(launch) && handle !== null && this.#asked.get(handle.name) === null)
          await this.#terminate(handle)
        return
      case 'read':
        await this.#readAbsent(launch)
        return
      case 'stop':
        await this.#stop(launch, verdict.why)
        return
      case 'kill':
        await this.#kill(handle!, { team, bot: botId, attempt, why: verdict.why })
        return
      case 'finish':
        if (await endAttempt(this.#tools, launch, verdict.evidence)) this.#finish(launch, verdict.evidence)
        return
      case 'forget':
        if (launch.is_part) {
          this.#finish({ ...launch, handle: null }, endWithout('The attempt left no trace at its launcher'))
          return
        }
        this.#count('forget', 'unknown_to_launcher')
        await closeLaunch(database, botId, attempt, endWithout('The attempt left no trace at its launcher'))
        return
      case 'give_up':
        await this.#giveUp(launch, verdict.why)
    }
  }

  #finish(launch: OpenLaunch, evidence: EndEvidence): void {
    this.#finishBeside(
      keyOf(launch),
      { team: launch.team_id, bot: launch.bot_id, attempt: launch.attempt },
      (signal) =>
        launch.is_part ? recoverPart(this.#tools, launch, signal) : finishBot(this.#tools, launch, evidence, signal),
    )
  }

  #finishBeside(key: string, fields: object, work: (signal: AbortSignal) => Promise<void>): void {
    const { signal } = this.#closing
    // Two passes may have found the same end.
    if (this.#finishing.has(key) || this.#finishing.size >= MAX_FINISHING || signal.aborted) return
    const finishing = work(signal)
      .catch((error) => this.#settings.log.error({ ...fields, error: String(error) }, 'Bot could not be finished'))
      .finally(() => this.#finishing.delete(key))
    this.#finishing.set(key, finishing)
  }

  async #stop(launch: OpenLaunch, why: string): Promise<void> {
    const { bot_id: botId, team_id: team, attempt, named_attempt, phase, handle } = launch
    const { database, launcher, log } = this.#settings
    if (attempt === named_attempt && !isOver({ phase })) {
      // A bot that cannot reach its control link continues alone and is not overdue for that: its journal counts as a sign of
      // life. A bot that it changed is checked again.
      if (await this.#readJournal(launch, (await launcher.workFolder?.(handle!)) ?? null)) return
      // The reconciler that writes the mark sends the signal.
      const isOurs = await changeBot(database, botId, (bot, now) => {
        if (isOver(bot) || namedAttempt(bot) !== attempt || bot.stop_sent_at !== null) return null
        const step = { at: now, attempt, kind: 'killed' as const, reason: why }
        return { patch: { stop_sent_at: now }, steps: [step], messages: [], ledger: [] }
      })
      if (!isOurs) return
    }
    await this.#terminate(handle!, () => {
      this.#count('stop', reasonToStop(launch))
      log.warn({ team, bot: botId, attempt, why }, 'Bot asked to end')
    })
  }

  /** Sends SIGTERM once. A process that is there long after it gets SIGKILL: that of the launcher may have failed. */
  async #terminate(handle: LaunchHandle, onAsk?: () => void): Promise<void> {
    const { launcher, log } = this.#settings
    const now = performance.now()
    const askedAt = this.#asked.get(handle.name) ?? null
    if (askedAt !== null) {
      if (now - askedAt > STOP_PATIENCE_SECONDS * 1000) await this.#kill(handle, { name: handle.name })
      return
    }
    onAsk?.()
    // Two passes may have found the same attempt.
    this.#asked.set(handle.name, now)
    await launcher.stop(handle, STOP_PATIENCE_SECONDS * 1000).catch((error) => {
      this.#asked.set(handle.name, null)
      log.error({ name: handle.name, error: String(error) }, 'Bot could not be asked to end')
    })
  }

  async #kill(handle: LaunchHandle, fields: object): Promise<void> {
    this.#count('kill', 'did_not_end')
    this.#settings.log.warn(fields, 'Bot killed')
    await this.#settings.launcher.kill(handle)
  }

  /** A bot stores its journal with its recording when it ends, so its end can be known without a process to ask. */
  async #readAbsent(launch: OpenLaunch): Promise<void> {
    const { bot_id: botId, team_id: team, attempt } = launch
    if (this.#absent.has(keyOf(launch))) return
    this.#absent.set(keyOf(launch), performance.now())
    if (await this.#readJournal(launch, null))
      this.#settings.log.info(
        { team, bot: botId, attempt },
        'Read the stored journal of a bot that the launcher does not know',
      )
  }

  /** True if the journal changed the bot. */
  async #readJournal(
    { bot_id: botId, attempt }: Pick<OpenLaunch, 'bot_id' | 'attempt'>,
    workFolder: string | null,
  ): Promise<boolean> {
    const { database, files } = this.#settings
    const before = await readBot(database, botId)
    await ingestJournal(database, files, { botId, attempt, workFolder }, { isOver: false })
    return (await readBot(database, botId))?.version !== before?.version
  }

  /** There will be no evidence any more. What the bot stored is recovered. */
  async #giveUp(launch: OpenLaunch, why: string): Promise<void> {
    const { database, log } = this.#settings
    const { bot_id: botId, team_id: team, attempt } = launch
    if (await launchEnded(database, botId, attempt, endWithout(why))) {
      this.#count('give_up', 'unknown_to_launcher')
      log.error({ team, bot: botId, attempt, why }, 'Bot given up')
    }
    this.#finish({ ...launch, handle: null }, endWithout(why))
  }

  /** Bots of this installation without an attempt in the database. */
  async #removeOrphans(listed: Listed, now: number): Promise<void> {
    const { database, launcher, log } = this.#settings
    const all = await listed.all()
    const names = new Set(all.map(({ handle }) => handle.name))
    // The list is younger than `now`: an attempt that was asked before and is not in it is gone.
    for (const [name, at] of this.#asked) if ((at ?? 0) < now && !names.has(name)) this.#asked.delete(name)
    const known = await knownLaunches(database, all)
    const orphans = all.filter(({ botId, attempt }) => !known.has(`${botId} ${attempt}`))
    for (const name of this.#orphans.keys())
      if (!orphans.some(({ handle }) => handle.name === name)) this.#orphans.delete(name)
    for (const { botId, attempt, handle } of orphans) {
      const since = this.#orphans.get(handle.name) ?? now
      this.#orphans.set(handle.name, since)
      if (now - since < (this.#settings.orphanSeconds ?? ORPHAN_SECONDS) * 1000) continue
      const { state } = await launcher.inspect(handle)
      if (state === 'ended' || state === 'absent') await launcher.clean(handle)
      else if (state === 'running')
        await this.#terminate(handle, () => {
          this.#count('stop_orphan', 'nothing_stored')
          log.warn({ bot: botId, attempt, name: handle.name }, 'Orphaned bot asked to end: it is not in the database')
        }).catch((error) => log.error({ name: handle.name, error: String(error) }, 'Orphaned bot could not be killed'))
    }
  }
}

const keyOf = ({ bot_id, attempt }: OpenLaunch) => `${bot_id} ${attempt}`

/** The launcher's list, asked for once in a pass and only if it is needed. */
class Listed {
  readonly #list: () => Promise<{ botId: string; attempt: number; handle: LaunchHandle }[]>
  #answer: ReturnType<typeof this.all> | null = null

  constructor(list: () => Promise<{ botId: string; attempt: number; handle: LaunchHandle }[]>) {
    this.#list = list
  }

  all(): Promise<{ botId: string; attempt: number; handle: LaunchHandle }[]> {
    this.#answer ??= this.#list()
    return this.#answer
  }

  async handleOf(botId: string, attempt: number): Promise<LaunchHandle | null> {
    return (await this.all()).find((each) => each.botId === botId && each.attempt === attempt)?.handle ?? null
  }
}
