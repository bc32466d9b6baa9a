/**
 * All tables as the migrations leave them, and the types of their rows. The columns are in the other files,
 * under their names in the database; `bigint` columns are numbers (`database.ts`).
 */
import type { Insertable, Selectable, Updateable } from 'kysely'
import type {
  ArtifactsTable,
  AttemptUsageTable,
  BotCommandsTable,
  BotEventsTable,
  BotStepsTable,
  BotsTable,
  DeletionsTable,
  JobOffersTable,
  JournalsTable,
  LaunchesTable,
  LivePicturesTable,
  RetranscriptionsTable,
  TeamEventCountsTable,
  TeamEventsTable,
} from './bot-tables.ts'
import type {
  CalendarBotsTable,
  CalendarChannelsTable,
  CalendarEventsTable,
  CalendarIntentsTable,
  CalendarSeriesIntentsTable,
  CalendarSeriesTable,
  CalendarsTable,
} from './calendar-tables.ts'
import type { AccountsTable, ConnectionsTable } from './connection-tables.ts'
import type {
  DeliveriesTable,
  DeliveryAttemptsTable,
  EndpointsTable,
  EventInboxTable,
  MessagesTable,
} from './delivery-tables.ts'
import type {
  PeopleTable,
  PersonIdentitiesTable,
  SessionsTable,
  SignInLinksTable,
  SignInPeopleTable,
} from './people-tables.ts'
import type {
  ApiKeysTable,
  AuditLogTable,
  AuditTable,
  IdempotencyKeysTable,
  LedgerTable,
  RequestLogTable,
  SettingsTable,
  TeamsTable,
} from './team-tables.ts'

export interface Tables {
  settings: SettingsTable
  teams: TeamsTable
  api_keys: ApiKeysTable
  idempotency_keys: IdempotencyKeysTable
  bots: BotsTable
  launches: LaunchesTable
  attempt_usage: AttemptUsageTable
  job_offers: JobOffersTable
  journals: JournalsTable
  bot_events: BotEventsTable
  team_event_counts: TeamEventCountsTable
  team_events: TeamEventsTable
  bot_steps: BotStepsTable
  bot_commands: BotCommandsTable
  live_pictures: LivePicturesTable
  artifacts: ArtifactsTable
  endpoints: EndpointsTable
  event_inbox: EventInboxTable
  messages: MessagesTable
  deliveries: DeliveriesTable
  delivery_attempts: DeliveryAttemptsTable
  ledger: LedgerTable
  deletions: DeletionsTable
  retranscriptions: RetranscriptionsTable
  audit: AuditTable
  audit_log: AuditLogTable
  request_log: RequestLogTable
  people: PeopleTable
  sign_in_links: SignInLinksTable
  sign_in_people: SignInPeopleTable
  sessions: SessionsTable
  person_identities: PersonIdentitiesTable
  calendars: CalendarsTable
  calendar_channels: CalendarChannelsTable
  calendar_series: CalendarSeriesTable
  calendar_events: CalendarEventsTable
  calendar_series_intents: CalendarSeriesIntentsTable
  calendar_intents: CalendarIntentsTable
  calendar_bots: CalendarBotsTable
  connections: ConnectionsTable
  accounts: AccountsTable
}

export type BotRow = Selectable<BotsTable>
export type NewBotRow = Insertable<BotsTable>
export type NewAuditLogRow = Insertable<AuditLogTable>
export type BotPatch = Updateable<BotsTable>
export type TeamRow = Selectable<TeamsTable>
export type EndpointRow = Selectable<EndpointsTable>
export type CalendarRow = Selectable<CalendarsTable>
export type CalendarPatch = Updateable<CalendarsTable>
export type ChannelRow = Selectable<CalendarChannelsTable>
export type SeriesRow = Selectable<CalendarSeriesTable>
export type EventRow = Selectable<CalendarEventsTable>
export type SeriesIntentRow = Selectable<CalendarSeriesIntentsTable>
export type IntentRow = Selectable<CalendarIntentsTable>
export type ConnectionRow = Selectable<ConnectionsTable>
export type AccountRow = Selectable<AccountsTable>
