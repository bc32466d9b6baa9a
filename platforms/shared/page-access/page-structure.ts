/** The page without people's content, as evidence that may be handed on (`platforms/shared/page/dom/structure.ts`). */
import type { CommonSnapshot } from '../page/types.ts'
import { allWording } from '../words.ts'
import type { MeetingPage } from './meeting-page.ts'

/** Null if the page gives none. The first line names its address, without what tells one meeting from another. */
export async function structureOf<Snapshot extends CommonSnapshot>(
  page: MeetingPage<Snapshot>,
): Promise<string | null> {
  const html = await page.ask('structure', allWording())
  return html && `<!-- standin ${JSON.stringify({ url: placeOf(page.frame.url()) })} -->\n${html}\n`
}

/** Host and form of the path: `https://meet.google.com/xxx-xxxx-xxx`. */
function placeOf(address: string): string {
  if (!URL.canParse(address)) return ''
  const { protocol, host, pathname } = new URL(address)
  const path = pathname
    .replace(/\/[a-z]{3}-[a-z]{4}-[a-z]{3}(?=\/|$)/g, '/xxx-xxxx-xxx')
    .replace(/[^/]{25,}/g, 'x')
    .replace(/\d/g, '0')
  return `${protocol}//${host}${path}`
}
