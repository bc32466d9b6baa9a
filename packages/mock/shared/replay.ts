/** Serves the structure of a page that a bot did not understand, as the platform's page, for every path of its hosts. */
import { LOOPBACK } from '../media/room.ts'
import { makeCertificate } from './certificate.ts'
import { Site, sendPage } from './site.ts'

/** The first line of `debug/structure.html`. */
const HEADER = /^<!-- standin (\{.*\}) -->/

export interface Replay {
  address: string
  hosts: readonly string[]
  close(): Promise<void>
}

/** Host of the page that the structure is of. Throws if it is no such file. */
export function hostOfStructure(structure: string): string {
  const header = HEADER.exec(structure)?.[1]
  const { url } = (header === undefined ? {} : JSON.parse(header)) as { url?: string }
  if (url === undefined || !URL.canParse(url)) throw new Error('It is no structure.html of a failed bot')
  return new URL(url).hostname
}

export async function startReplay(structure: string, hosts: readonly string[]): Promise<Replay> {
  const site = new Site(
    await makeCertificate(hosts),
    ({ path, response }) => {
      if (path === '/favicon.ico') response.writeHead(204).end()
      else sendPage(response, structure)
    },
    () => null,
  )
  await site.listen(0, LOOPBACK)
  return { address: site.address, hosts, close: () => site.close() }
}
