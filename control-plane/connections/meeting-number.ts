/** The number of a meeting from its link; null where the link names none, such as one with a personal name. Pure. */
export function meetingNumberOf(meetingUrl: string): string | null {
  if (!URL.canParse(meetingUrl)) return null
  const { pathname } = new URL(meetingUrl)
  const [, number] = /\/(?:j|s|w|wc|wc\/join)\/(\d{9,12})(?:\/|$)/.exec(pathname) ?? []
  return number ?? null
}
