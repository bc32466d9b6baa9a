/** The example pages of the documentation, and an agent that answers as Pipecat does. */
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { MediaStreamTrack, RTCPeerConnection } from 'werift'

const EXAMPLES = join(import.meta.dirname, '../../docs/examples')
const LOOPBACK = '127.0.0.1'

/** An agent that says what it hears: its answer to the offer of a page. */
async function echo(offer: { sdp: string; type: 'offer' }) {
  const peer = new RTCPeerConnection({
    ...{ iceServers: [], iceUseIpv4: false, iceUseIpv6: false, iceAdditionalHostAddresses: [LOOPBACK] },
  })
  onTestFinished(() => peer.close())
  const voice = new MediaStreamTrack({ kind: 'audio' })
  peer.onRemoteTransceiverAdded.subscribe((transceiver) => {
    if (transceiver.kind !== 'audio') return
    transceiver.setDirection('sendrecv')
    void transceiver.sender.replaceTrack(voice)
    transceiver.onTrack.subscribe((track) => track.onReceiveRtp.subscribe((packet) => voice.writeRtp(packet)))
  })
  await peer.setRemoteDescription(offer)
  await peer.setLocalDescription(await peer.createAnswer())
  return { sdp: peer.localDescription!.sdp, type: 'answer', pc_id: 'echo' }
}

export async function serveExamples() {
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(await echo((await json(request)) as Parameters<typeof echo>[0])))
      return
    }
    const { pathname } = new URL(request.url ?? '/', 'http://examples')
    response.setHeader('content-type', 'text/html; charset=utf-8')
    if (pathname.endsWith('-page.html')) createReadStream(join(EXAMPLES, pathname)).pipe(response)
    else response.writeHead(404).end()
  })
  server.listen(0, LOOPBACK)
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  return { port, address: (path: string) => `http://${LOOPBACK}:${port}${path}` }
}
