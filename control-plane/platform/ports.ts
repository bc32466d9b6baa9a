/**
 * The interfaces between the parts of the service and to the outside. `main.ts` gives the real ones, tests give fakes.
 */
import type { Readable } from 'node:stream'
import type { RecordingMode } from '@standin/wire/codes.ts'
import type { Job, StorageKeys } from '@standin/wire/job.ts'

/** Time of this process, for waits and for tests; the database's clock decides what is due (`store`). */
export interface Clock {
  /** UTC milliseconds. */
  now(): number
}

export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

// --- Launching -------------------------------------------------------------------------------------------------------

/** The resources of a machine that a bot uses. */
export interface Need {
  /** Cores in use all the time. */
  cores: number
  memoryBytes: number
}

export type BotNeeds = Readonly<Record<RecordingMode, Need>>

/** One start of a bot. Its name is made of bot and attempt, so that a second start under one name finds the first. */
export interface LaunchSpec {
  botId: string
  attempt: number
  /** The whole job with its secrets; a launcher never puts it into an argument, a variable or a description. */
  job: Job
}

/** How a launcher finds a bot again; stored with the launch, so plain JSON without secrets. */
export interface LaunchHandle {
  name: string
  [key: string]: string | number
}

export type LaunchState =
  | { state: 'running' }
  | { state: 'ended'; evidence: EndEvidence }
  /** The launcher answers, and knows no such bot. This proves nothing about a bot that may run elsewhere. */
  | { state: 'absent' }
  | { state: 'unknown'; reason: string }

/** Why a process or a container is over, from the system that ran it. */
export interface EndEvidence {
  exitCode: number | null
  signal: string | null
  isOutOfMemory: boolean
  /** In words, if the system says more. */
  reason: string | null
  endedAt: Date | null
  /** The last 64 KiB of its log at most. */
  logTail: string | null
}

/** Thrown by `start` if there is no room now: the bot waits, it has not failed. */
export class NoRoom extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'NoRoom'
  }
}

/** How many further bots of a recording mode can be started. */
export interface ModeCapacity {
  free: number
  /** Why none can. */
  reason?: string
}

export interface Capacity {
  free: number
  limit: number
  /** Why none is free, if not the limit. */
  reason?: string
  /** If the needs of bots decide; absent: a bot of any mode takes one place. */
  modes?: Readonly<Record<RecordingMode, ModeCapacity>>
}

export interface Launcher {
  readonly kind: 'process' | 'docker' | 'kubernetes' | 'simulated'
  /** Starts the bot, or finds the one of the same name. Rejects with `NoRoom`, or with an error of the infrastructure. */
  start(spec: LaunchSpec): Promise<LaunchHandle>
  /** SIGTERM, then SIGKILL after `patienceMs`. Returns at once. */
  stop(handle: LaunchHandle, patienceMs: number): Promise<void>
  kill(handle: LaunchHandle): Promise<void>
  inspect(handle: LaunchHandle): Promise<LaunchState>
  /** Every bot of this installation that the launcher knows, running or ended. */
  list(): Promise<{ botId: string; attempt: number; handle: LaunchHandle }[]>
  /** Removes what is left of an ended bot, after its evidence was stored. */
  clean(handle: LaunchHandle): Promise<void>
  /** Bots that could be started now, and the limit; null: the engine decides. */
  capacity(): Promise<Capacity | null>
  /**
   * A folder of this machine with `<bot id>/` and the bot's files in it, as they are now or as they were when it ended; null
   * if there are none beside those in the store. Rejects if they cannot be reached now.
   */
  workFolder?(handle: LaunchHandle): Promise<string | null>
  /** Closes its connections; the bots continue. */
  close?(): void
}

/** Jobs that containers fetch from an address, so that their description contains no secret. */
export interface JobOffers {
  /** The address of an attempt's job, as containers reach it. */
  addressOf(botId: string, attempt: number): string
  /** The job is given once, for this token, within minutes. Takes the place of an earlier offer of the attempt. */
  offer(spec: LaunchSpec, token: string): Promise<void>
  /** From now on the job cannot be fetched. */
  withdraw(botId: string, attempt: number): Promise<void>
}

// --- Files -----------------------------------------------------------------------------------------------------------

export type PrefixKeys = (botId: string, attempt: number) => Promise<StorageKeys>

/**
 * The store of recordings: a folder or a bucket. Keys are paths below the root, such as `<bot_id>/<attempt>/video.mp4`.
 */
export interface FileStore {
  /** The `storage` of the job of one attempt; its recordings are stored under `<bot_id>/<attempt>/`. */
  jobStorage(botId: string, attempt: number): Job['storage']
  /** Keys that reach the files of this attempt only. Absent: bots have those of `jobStorage`. Rejects with a sentence. */
  prefixKeys?: PrefixKeys
  /** A link that works for `seconds` without a key. Signed when read, never stored. */
  sign(key: string, seconds: number, options?: { downloadName?: string }): Promise<string>
  /** Null if there is no such file. */
  read(key: string, maxBytes: number): Promise<Uint8Array | null>
  write(key: string, bytes: Uint8Array, contentType: string): Promise<void>
  list(prefix: string): Promise<{ key: string; bytes: number }[]>
  /** Bytes that are stored below the prefix so far, files that still grow included. */
  bytesOf(prefix: string): Promise<number>
  deletePrefix(prefix: string): Promise<{ files: number; bytes: number }>
  /** Copies the file to a path of this machine. False if there is no such file. */
  copy(key: string, target: string, signal: AbortSignal): Promise<boolean>
}

/** Links to the artifacts of a bot, by the names that the worker gives its files. */
export interface ArtifactLinks {
  /** Address under which receivers and callers reach the service. */
  publicUrl: string
  /** Null if the bot has no such artifact, or its data was deleted. */
  sign(botId: string, name: string, seconds: number): Promise<string | null>
  /** The transcript in the shape of the older generation; empty if there is none. */
  olderTranscript(botId: string): Promise<unknown[]>
}

export type ArtifactField = 'video' | 'audio' | 'diarization' | 'raw_transcription' | 'transcription' | 'chat_messages'

/** All links of a bot, signed when they are read. */
export interface BotLinks extends ArtifactLinks {
  /** Null for what the bot does not have. */
  linksOf(botId: string, seconds?: number): Promise<Record<ArtifactField, string | null>>
  /** Links to its screenshots, oldest first. */
  screenshotsOf(botId: string, seconds?: number): Promise<{ name: string; url: string }[]>
  /** A link to a file by its key; null for a key that no file can have. */
  linkTo(key: string, seconds: number): Promise<string | null>
}

export interface FileRequest {
  method: 'GET' | 'HEAD'
  /** The path after `/files/`, decoded. */
  key: string
  query: Readonly<Record<string, unknown>>
  /** The header `range`. */
  range?: string
  /** The header `if-range`. */
  ifRange?: string
}

export interface FileAnswer {
  status: number
  headers: Record<string, string>
  /** Has to be read or destroyed. Null without a body. */
  stream: Readable | null
}

/** Serves signed links to a store that makes none itself. */
export type FileHandler = (request: FileRequest) => Promise<FileAnswer>

// --- Answers without a web framework ---------------------------------------------------------------------------------

export interface TextAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/** Answers by path: `/healthz`, `/readyz` and `/metrics`. */
export type Probes = Readonly<Record<string, () => Promise<TextAnswer>>>

/** Answers `GET /job/<bot>/<attempt>`. Rejects if the job cannot be looked up: the bot asks again. */
export type JobHandler = (request: { path: string; authorization: string | undefined }) => Promise<TextAnswer>

// --- Secrets ---------------------------------------------------------------------------------------------------------

/** Where a sealed value belongs; a value that is copied to another row does not open. */
export interface SealedPlace {
  table: string
  column: string
  row: string
}

export interface Seals {
  seal(text: string, place: SealedPlace): Buffer
  /** Throws `LostSecret` where the key is missing or the value belongs to another place. */
  open(sealed: Buffer, place: SealedPlace): string
}

/** A sealed value that these keys do not open. The message names its place, never its content. */
export class LostSecret extends Error {
  override readonly name = 'LostSecret'
}

// --- Stored credentials of conferencing users -------------------------------------------------------------------------

/** The stored credentials that a bot's request names, and the credentials inside the request. */
export interface GrantRequest {
  teamId: string
  /** One of the two is set; the id has priority. */
  credentialId: string | null
  credentialUserId: string | null
  /** False: the bot has a token, or an address of one; only the keys of the app are wanted. */
  wantsToken: boolean
  /** The token is bound to its meeting where the address names the number. */
  meetingUrl: string
}

/** The part of a stored credential that one start of a bot gets. */
export interface JoinGrant {
  sdkId: string
  sdkPassword: string
  /** Fresh, for one join on behalf of the user; at most one of the two tokens is set. */
  obfToken: string | null
  /** Fresh, for a join as the user (ZAK). */
  accessKey: string | null
}

export interface JoinGrants {
  /** Rejects with `GrantRefused` or `GrantDelayed` within half a minute. */
  fetch(request: GrantRequest): Promise<JoinGrant>
}

/** No further try would help. `code` is one of the interface's, the message a sentence for the caller. */
export class GrantRefused extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.name = 'GrantRefused'
    this.code = code
  }
}

/** The provider or the database cannot answer now. `code` is what the bot ends with when its time is over. */
export class GrantDelayed extends Error {
  readonly code: string
  /** Milliseconds; null if the provider named no time. */
  readonly retryAfterMs: number | null

  constructor(code: string, message: string, retryAfterMs: number | null = null) {
    super(message)
    this.name = 'GrantDelayed'
    this.code = code
    this.retryAfterMs = retryAfterMs
  }
}

// --- Refusals of providers ---------------------------------------------------------------------------------------------

export type ProviderErrorKind =
  /** 5xx, network, a time-out, an answer that is not understood. */
  | 'unavailable'
  | 'rate_limited'
  /** Refused for another reason, which a repetition meets again. */
  | 'refused'
  /** The answer proves nothing: neither who the person is, nor what was allowed. */
  | 'invalid'

  // Credentials.
  /** The OAuth client was refused: wrong secret, unknown app or tenant. */
  | 'client_refused'
  /** The refresh token was used, taken back or is too old. */
  | 'revoked'
  /** The access token was refused: refresh once, repeat once. */
  | 'token_refused'
  /** A scope is missing, or the calendar is not shared with the user. */
  | 'permission_denied'
  | 'scope_missing'
  | 'user_gone'

  // Pages of consent.
  | 'denied'
  /** The app, its secret or its redirect address. */
  | 'app_refused'
  /** The code is unknown, used or too old. */
  | 'code_refused'
  /** The address of the exchange is not the one that the code was made for. */
  | 'redirect_mismatch'
  /** The access would end within an hour. */
  | 'no_refresh_token'
  /** The browser asked for no consent, or too long ago. */
  | 'expired'
  | 'used'

  // Calendars.
  | 'not_found'
  /** Microsoft: the account has no mailbox. */
  | 'no_mailbox'
  /** The cursor is dead: read everything. */
  | 'cursor_gone'
  /** Google: subscribed and holiday calendars cannot be watched. */
  | 'push_not_supported'

  // Commands of a caller to the calendars.
  | 'calendar_not_found'
  | 'series_not_found'
  | 'event_not_found'
  /** The account has no such calendar. */
  | 'raw_calendar_not_found'
  | 'already_connected'
  | 'platform_mismatch'
  /** The team has as many calendars as it may have. */
  | 'limit_reached'
  /** A token of Zoom without an app. */
  | 'zoom_app_missing'

/** The answer of an OAuth server to a code or to a refresh token. */
export interface TokenAnswer {
  /** Null: the answer has none that can be used. */
  accessToken: string | null
  accessTokenSeconds: number
  /** Null: the one before it still works. Otherwise the one before it may work no more. */
  refreshToken: string | null
  /** Such as `user:read:token`; null if the server names none. */
  scopes: string[] | null
}

/** A request to a provider, or one that would need it, was refused or failed. */
export class ProviderError extends Error {
  readonly kind: ProviderErrorKind
  /** The delay that the provider asked for; null without one. */
  readonly retryAfterMs: number | null
  /** The error code of OAuth in the provider's answer, such as `access_denied`. */
  readonly code: string | null
  readonly missingScopes: readonly string[]

  /** `message`: a sentence without tokens, codes and secrets that says what the provider answered. */
  constructor(
    kind: ProviderErrorKind,
    message: string,
    facts: { retryAfterMs?: number | null; code?: string | null; missingScopes?: readonly string[] } = {},
  ) {
    super(message)
    this.name = 'ProviderError'
    this.kind = kind
    this.retryAfterMs = facts.retryAfterMs ?? null
    this.code = facts.code ?? null
    this.missingScopes = facts.missingScopes ?? []
  }

  /** Whether the same request may work a little later. */
  get isPassing(): boolean {
    return this.kind === 'rate_limited' || this.kind === 'unavailable'
  }
}

// --- Outgoing requests -----------------------------------------------------------------------------------------------

export interface OutgoingRequest {
  url: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH'
  headers?: Record<string, string>
  body?: string | Uint8Array
  /** Of the whole exchange. */
  timeoutMs: number
  /** The rest of a longer answer is not read. */
  maxBytes: number
}

export interface OutgoingAnswer {
  status: number
  headers: Record<string, string>
  body: Uint8Array
  isCut: boolean
}

/** The only way to an address that a caller named: no private addresses, no redirects, bounds on time and size. */
export interface GuardedClient {
  /**
   * Rejects with a sentence that names host and reason, never the query. `code` of the error: `EACCES` address not
   * allowed, `ETIMEDOUT` no whole answer in time, `ECONNFAILED` everything else.
   */
  request(request: OutgoingRequest): Promise<OutgoingAnswer>
  /** A sentence about what is wrong with the address, without a lookup; null if it may be tried. */
  problemOf(url: string): string | null
}
