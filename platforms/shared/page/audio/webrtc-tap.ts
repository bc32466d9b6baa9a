/** Observes the connections of a page without changing them: who sends which track, and which channels there are. */
import { oncePerPage, wrapConstructor, wrapMethod } from '../dom/patch-native.ts'

/** A track that a page's connection receives. */
export interface TappedTrack {
  connection: RTCPeerConnection
  transceiver: RTCRtpTransceiver
  receiver: RTCRtpReceiver
  track: MediaStreamTrack
  /** The streams the sender put it into; their ids are often the platform's media ids. */
  streams: readonly MediaStream[]
}

export interface TappedChannel {
  connection: RTCPeerConnection
  channel: RTCDataChannel
  label: string
  openedBy: 'page' | 'remote'
}

export interface WebRtcTap {
  /** Connections that are not closed, oldest first. */
  connections(): RTCPeerConnection[]
  /**
   * Calls the listener for every received track, those of the past first. Returns the function that stops listening.
   */
  onTrack(listener: (tapped: TappedTrack) => void): () => void
  /**
   * Calls the listener for every data channel of either side, those of the past first. It is called before the page can
   * add its own handlers, so that a `message` listener added here misses nothing.
   */
  onDataChannel(listener: (tapped: TappedChannel) => void): () => void
  /** Channels that are not closed, newest last; all labels when none is named. */
  channels(label?: string): TappedChannel[]
  /** Received tracks that have not ended, of connections that are not closed. */
  tracks(kind?: 'audio' | 'video'): TappedTrack[]
  /** Every audio receiver of every open connection, read from the connections themselves, so that none is missed. */
  audioReceivers(): RTCRtpReceiver[]
}

export interface WebRtcTapOptions {
  /**
   * Removes `RTCRtpReceiver.prototype.createEncodedStreams` and its successor `RTCRtpScriptTransform`, by which Google
   * Meet decides to decode and mix sound itself; without them the page takes the browser's own audio path, where
   * contributing sources can be read.
   */
  hideEncodedStreams?: boolean
}

/**
 * To be called at document start, before the page's scripts. A second call, also from a second copy of this code,
 * returns the first tap: two wrappers around one constructor would double every event.
 */
export function installWebRtcTap(options: WebRtcTapOptions = {}): WebRtcTap {
  if (options.hideEncodedStreams && typeof RTCRtpReceiver === 'function') {
    Reflect.deleteProperty(RTCRtpReceiver.prototype, 'createEncodedStreams')
    Reflect.deleteProperty(globalThis, 'RTCRtpScriptTransform')
  }
  return oncePerPage('webrtc-tap', createTap)
}

function createTap(): WebRtcTap {
  let connections: RTCPeerConnection[] = []
  let tracks: TappedTrack[] = []
  let channels: TappedChannel[] = []
  const trackListeners = new Set<(tapped: TappedTrack) => void>()
  const channelListeners = new Set<(tapped: TappedChannel) => void>()

  /** Closing a connection causes no event, so closed connections are dropped at each access. */
  function prune(): void {
    connections = connections.filter((connection) => connection.signalingState !== 'closed')
    tracks = tracks.filter(({ connection, track }) => connections.includes(connection) && track.readyState === 'live')
    channels = channels.filter(
      ({ connection, channel }) => connections.includes(connection) && channel.readyState !== 'closed',
    )
  }

  function keepChannel(tapped: TappedChannel): void {
    channels.push(tapped)
    for (const listener of channelListeners) notify(listener, tapped)
  }

  wrapConstructor<RTCPeerConnection>(globalThis, 'RTCPeerConnection', (connection) => {
    prune()
    connections.push(connection)
    connection.addEventListener('track', ({ transceiver, receiver, track, streams }) => {
      // A transceiver that is paused and taken up again reports the same track once more.
      tracks = tracks.filter((known) => known.track !== track)
      const tapped = { connection, transceiver, receiver, track, streams }
      tracks.push(tapped)
      for (const listener of trackListeners) notify(listener, tapped)
    })
    connection.addEventListener('datachannel', ({ channel }) => {
      keepChannel({ connection, channel, label: channel.label, openedBy: 'remote' })
    })
  })
  if (typeof RTCPeerConnection === 'function') {
    wrapMethod(RTCPeerConnection.prototype, 'createDataChannel', (native, self, given) => {
      const channel = native(...given) as RTCDataChannel
      keepChannel({ connection: self as RTCPeerConnection, channel, label: channel.label, openedBy: 'page' })
      return channel
    })
  }

  return {
    connections() {
      prune()
      return [...connections]
    },
    onTrack(listener) {
      prune()
      for (const tapped of tracks) notify(listener, tapped)
      trackListeners.add(listener)
      return () => trackListeners.delete(listener)
    },
    onDataChannel(listener) {
      prune()
      for (const tapped of channels) notify(listener, tapped)
      channelListeners.add(listener)
      return () => channelListeners.delete(listener)
    },
    channels(label) {
      prune()
      return channels.filter((tapped) => label === undefined || tapped.label === label)
    },
    tracks(kind) {
      prune()
      return tracks.filter(({ track }) => kind === undefined || track.kind === kind)
    },
    audioReceivers() {
      prune()
      return connections.flatMap((connection) =>
        connection.getReceivers().filter(({ track }) => track.kind === 'audio' && track.readyState === 'live'),
      )
    },
  }
}

/** A listener of ours that throws must not break the page's own call. */
function notify<Tapped>(listener: (tapped: Tapped) => void, tapped: Tapped): void {
  try {
    listener(tapped)
  } catch (error) {
    console.error('A listener at the connections failed', error)
  }
}
