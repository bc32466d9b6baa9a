/**
 * The account of the bot: a session that the job names, or one of the control plane. A session that the meeting refreshed
 * goes back to where it came from; one that is signed out is reported and not used again.
 */

import { type StorageState, secretsOfSession, sessionOf } from '@standin/wire/account-session.ts'
import type { LeasedAccount } from '@standin/wire/control-link.ts'
import type { Job } from '@standin/wire/job.ts'
import type { PlatformName } from '@standin/wire/platforms.ts'
import { ACCOUNT_PLATFORMS } from '@standin/wire/platforms.ts'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { aborted, type Clock, endsWithin } from '@standin/wire/time/deadline.ts'
import { BotError } from '../../packages/core/errors.ts'
import type { Logger } from '../../packages/core/logger.ts'
import { writeWholeFile } from '../../packages/core/process/atomic-file.ts'
import type { SessionOnce } from '../../platforms/browser/session.ts'
import type { BrowserState } from '../../platforms/browser/state.ts'
import type { DriverOptions } from '../../platforms/index.ts'
import type { CommandedControlPlane } from '../control-link/local.ts'

/** How long a bot that needs an account waits for the control link. */
const WELCOME_MS = 60_000
/** A session that cannot be given back by then is lost; the next refresh brings another. */
const REPORT_MS = 5_000
const REPORT_TRIES = 5
const BETWEEN_TRIES_MS = 2_000
const MAX_REASON_LENGTH = 400

type AccountUse = NonNullable<DriverOptions['account']>
type Cookies = StorageState['cookies']
type Leased = NonNullable<LeasedAccount['account']>

export interface BotAccount extends AccountUse {
  /** The session of the next attempt to join; null for a guest. Rejects with a BotError if the bot needs one and gets none. */
  load(signal: AbortSignal): Promise<BrowserState | null>
}

export interface AccountParts {
  job: Pick<Job, 'account' | 'browser_state' | 'keeps_browser_state'>
  platform: PlatformName
  /** The session that the job names. */
  stored: Pick<SessionOnce, 'load'>
  control: Pick<CommandedControlPlane, 'askForAccount' | 'reportAccount' | 'whenWelcomed'>
  clock: Clock
  logger: Logger
  /** Hides these values in log and evidence. */
  keepSecret(values: object): void
}

export function openAccount({ job, platform, stored, control, clock, logger, keepSecret }: AccountParts): BotAccount {
  let isWanted = job.account === 'always'
  let leased: Leased | null = null
  /** The content of the job's own file, as it is now. */
  let own: StorageState | null = null

  return {
    async load(signal) {
      const state = await stored.load(signal)
      if (state?.kind === 'storage_state') keepSecret(secretsOfSession(state.state))
      if (state !== null) {
        own ??= state.kind === 'storage_state' ? state.state : null
        return own === null ? state : { kind: 'storage_state', state: own }
      }
      if (!isWanted) return null
      leased ??= await lease(signal)
      return { kind: 'storage_state', state: leased.session }
    },

    onLoginRequired(text) {
      own = null
      const signedOut = leased
      leased = null
      if (signedOut !== null) void reportOut(signedOut, text)
      const mayLease = !job.browser_state && job.account !== 'never'
      isWanted = mayLease
      return mayLease
    },

    async onRefreshed(cookies) {
      try {
        await endsWithin(clock, REPORT_MS, leased === null ? keep(cookies) : giveBack(leased, cookies))
      } catch (error) {
        logger.warn('The refreshed session of the account could not be stored', { error })
      }
    },
  }

  async function lease(signal: AbortSignal): Promise<Leased> {
    await endsWithin(clock, WELCOME_MS, Promise.race([control.whenWelcomed(), aborted(signal)]))
    signal.throwIfAborted()
    const answer = await control.askForAccount().catch((cause: unknown) => {
      const message = `The control plane could not be asked for an account: ${messageOf(cause)}.`
      throw new BotError('LOGIN_REQUIRED', message, { step: 'account', canRetry: true, cause })
    })
    const { account, message = 'The control plane has no account.' } = answer
    if (account === undefined)
      throw new BotError('LOGIN_REQUIRED', message, { step: 'account', reason: 'no_account_free' })
    keepSecret(secretsOfSession(account.session))
    logger.info('The bot joins with an account', { account: account.label })
    return account
  }

  async function giveBack(account: Leased, cookies: Cookies): Promise<void> {
    const session = refreshed(account.session, cookies)
    const { account_id, version } = account
    const answer = await control.reportAccount({ account_id, version, state: 'ok', ...(session && { session }) })
    if (session === null || answer.version === undefined) return
    account.session = session
    account.version = answer.version
  }

  /** Only a file of this machine is written; a profile and an object of S3 stay as they are. */
  async function keep(cookies: Cookies): Promise<void> {
    const { keeps_browser_state: isKept, browser_state: file } = job
    if (!isKept || !file || own === null || /^s3:/i.test(file)) return
    const session = refreshed(own, cookies)
    if (session === null) return
    own = session
    await writeWholeFile(file, JSON.stringify(session))
  }

  /** Null if nothing changed, or if the rest is no session of the platform. */
  function refreshed(before: StorageState, cookies: Cookies): StorageState | null {
    const known = ACCOUNT_PLATFORMS.find((name) => name === platform)
    const read = known && sessionOf(known, { ...before, cookies })
    if (read === undefined || 'problem' in read) return null
    keepSecret(secretsOfSession(read.session))
    return JSON.stringify(read.session.cookies) === JSON.stringify(before.cookies) ? null : read.session
  }

  /** Also when the link is down for a while. Never rejects. */
  async function reportOut({ account_id, version, label }: Leased, text: string): Promise<void> {
    logger.warn('The account is signed out', { account: label })
    const report = { account_id, version, state: 'signed_out' as const, reason: text.slice(0, MAX_REASON_LENGTH) }
    for (let tries = 1; tries <= REPORT_TRIES; tries++) {
      try {
        await control.reportAccount(report)
        return
      } catch (error) {
        if (tries === REPORT_TRIES)
          logger.warn('The control plane has no report that the account is signed out', { error })
        else await clock.sleep(BETWEEN_TRIES_MS)
      }
    }
  }
}
