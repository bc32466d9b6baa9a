/** What a bot that stands by still needs to start: one JSON object on its standard input, which then ends. */
export interface BotStart {
  /** Variables that are new to its process; no secret, since the job itself is in a file that is read once. */
  environment: Record<string, string>
  /** `--map-host` of this bot, beside those of its command line. */
  mapHosts: readonly string[]
}
