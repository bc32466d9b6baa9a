/** The few things that are done to session descriptions as text. */

/** No offer of a browser comes near this; longer text is not parsed. */
const MAX_OFFER_CHARACTERS = 500_000

/**
 * Makes a page's offer fit for an answer over the loopback interface: the page finds us, and its own candidates may
 * be mDNS names, which would be looked up on the network.
 * @throws Error when the text is not an offer
 */
export function prepareOffer(sdp: string): string {
  if (!sdp.startsWith('v=0') || sdp.length > MAX_OFFER_CHARACTERS) {
    throw new Error(`The page's offer is not a session description (${sdp.length} characters)`)
  }
  return sdp
    .split(/\r?\n/)
    .filter((line) => !line.startsWith('a=candidate:') && !line.startsWith('a=end-of-candidates'))
    .join('\r\n')
}

/** Whether the offer has a line for data channels that is not refused. */
export function offersDataChannels(sdp: string): boolean {
  return /^m=application [1-9]/m.test(sdp)
}

/**
 * werift gives inactive m-lines port 0, which refuses them for ever. Inactive only means that no sender uses them now.
 */
export function keepInactiveLines(sdp: string): string {
  return sdp
    .split(/(?=^m=)/m)
    .map((section) => (/^a=inactive\r?$/m.test(section) ? section.replace(/^(m=\w+) 0 /, '$1 9 ') : section))
    .join('')
}

/** The ids in a page of the stream that comes on one line. */
export interface StreamName {
  streamId: string
  trackId: string
  ssrc: number
}

/**
 * Names the streams of an answer, by mid. A line with null carries no person now: it is inactive, which makes the page
 * end its track. Lines that are not in the map stay as they are.
 */
export function nameStreams(sdp: string, names: ReadonlyMap<string, StreamName | null>): string {
  return sdp
    .split(/(?=^m=)/m)
    .map((section) => {
      const mid = /^a=mid:(.+?)\r?$/m.exec(section)?.[1]
      const name = mid === undefined ? undefined : names.get(mid)
      if (name === undefined) return section
      const lines = section.split('\r\n').filter((line) => line !== '' && !/^a=(msid|ssrc|ssrc-group):/.test(line))
      if (name === null) return withEnd(lines.map((line) => (/^a=send(only|recv)$/.test(line) ? 'a=inactive' : line)))
      const { streamId, trackId, ssrc } = name
      return withEnd([...lines, `a=msid:${streamId} ${trackId}`, `a=ssrc:${ssrc} cname:${streamId}`])
    })
    .join('')
}

function withEnd(lines: readonly string[]): string {
  return lines.map((line) => `${line}\r\n`).join('')
}
