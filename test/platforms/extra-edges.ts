/** The renderer of Google Meet ends where the output of an AudioWorkletNode gets a further edge; here every page does. */
import type { OpenBrowser } from '../../platforms/browser/browser.ts'
import { sharedChromium } from './shared-chromium.ts'

export const crashingAtExtraEdges: OpenBrowser = async (...given) => {
  const browser = await sharedChromium.open(...given)
  const session = await browser.context.newCDPSession(browser.page)
  const edges = new Map<string, number>()
  session.on('WebAudio.audioNodeCreated', ({ node }) => {
    if (node.nodeType === 'AudioWorklet') edges.set(node.nodeId, 0)
  })
  session.on('WebAudio.nodesConnected', ({ sourceId }) => {
    const count = edges.get(sourceId)
    if (count === undefined) return
    edges.set(sourceId, count + 1)
    if (count > 0) session.send('Page.crash').catch(() => {})
  })
  session.on('WebAudio.nodesDisconnected', ({ sourceId }) => {
    if (edges.has(sourceId)) edges.set(sourceId, edges.get(sourceId)! - 1)
  })
  await session.send('WebAudio.enable')
  return browser
}
