/** The name of an attempt at every launcher, and what it says about the bot. */
const NAME = /^standin-(?<botId>[0-9a-f-]{36})-(?<attempt>[1-9]\d{0,8})$/

export const botName = ({ botId, attempt }: { botId: string; attempt: number }) => `standin-${botId}-${attempt}`

export const isBotName = (name: string) => NAME.test(name)

/** Names in handles come from the database: throws for one that is not the name of a bot. */
export function placeOf(name: string): { botId: string; attempt: number } {
  const { botId, attempt } = NAME.exec(name)?.groups ?? {}
  if (botId === undefined) throw new Error(`${JSON.stringify(name)} is not the name of a bot`)
  return { botId, attempt: Number(attempt) }
}

/** The same name, for use in a path or an address. Throws like `placeOf`. */
export function knownName(name: string): string {
  placeOf(name)
  return name
}
