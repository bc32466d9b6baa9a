/** Rows of the tables about alerts. */
import type { Generated, GeneratedAlways, Selectable } from 'kysely'

interface AlertRulesTable {
  id: Generated<string>
  number: GeneratedAlways<number>
  team_id: string
  name: string
  alert_type: string
  operator: string
  threshold: number
  cooldown_minutes: number
  is_enabled: Generated<boolean>
  /** Occurrences before it do not count: the rule was made or enabled then. */
  counts_from: Generated<Date>
  /** Threshold types: whether the value was beyond the threshold at the last evaluation. */
  is_met: Generated<boolean>
  /** Threshold types: how often the value came to the threshold again since the last firing. */
  suppressed: Generated<number>
  last_fired_at: Date | null
  last_test_at: Date | null
  /** Rises with each firing and each change: a firing needs the version that was measured. */
  version: Generated<number>
  created_at: Generated<Date>
  updated_at: Generated<Date>
  deleted_at: Date | null
}

interface AlertFiringsTable {
  id: GeneratedAlways<number>
  rule_id: string
  team_id: string
  /** The message that its channels get; the message's deliveries hold the results. */
  message_id: string
  rule_name: string
  alert_type: string
  is_test: boolean
  triggered_at: Generated<Date>
  current_value: number
  operator: string
  threshold_value: number
  suppressed_count: number
  message: string
}

export interface AlertTables {
  alert_rules: AlertRulesTable
  alert_firings: AlertFiringsTable
}

export type AlertRuleRow = Selectable<AlertRulesTable>
