/** The number of a meeting from its link; null where the link names none, such as one with a personal name. Pure. */
export function meetingNumberOf(meetingUrl: string): string | null {
  if (!URL.canParse(meetingUrl)) return null
  const { pathname, searchParams } = new URL(meetingUrl)
  const [, number] = /^\/(?:j|s|w|wc(?:\/(?:join|start))?)\/(\d{9,12})(?:\/|$)/.exec(pathname) ?? []
  const parameter = pathname === '/wc' ? searchParams.get('mn') : null
  return number ?? (/^\d{9,12}$/.test(parameter ?? '') ? parameter : null)
}
