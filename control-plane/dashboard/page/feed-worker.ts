/** Holds the stream for all tabs of the browser, as long as one of them is open. */
import { createFeedStream, FEED_CHANNEL } from './feed-stream.ts'

const channel = new BroadcastChannel(FEED_CHANNEL)
const open = createFeedStream(new URL('api/feed', location.href), (message) => channel.postMessage(message))

addEventListener('connect', (event) => {
  const port = (event as MessageEvent).ports[0]!
  port.onmessage = () => open((message) => port.postMessage(message))
})
