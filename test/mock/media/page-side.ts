/** The functions in the page that the tests call. */
export interface PageSide {
  join(lines: { audio: number; video: number; sends: boolean }): Promise<void>
  addVideoLines(count: number): Promise<void>
  /** Offers again with at least this many lines to receive on. */
  addLines(lines: { audio: number; video: number }): Promise<void>
  /** The tracks that a stream brings now, by the stream's id: mid, source of the packets, loudness of that source. */
  streams(): Record<string, { mid: string; muted: boolean; source: number | null; level: number }>
  setLine(mid: string, direction: RTCRtpTransceiverDirection): Promise<void>
  grab(mid: string): { width: number; height: number; pixels: string } | null
  loudness(mid: string, frequencies: number[]): number[]
  sources(mid: string): { source: number; audioLevel: number | undefined }[]
  streamIds(): Record<string, string | undefined>
  decodedFrames(): Promise<Record<string, number>>
  receivedPackets(mid: string): Promise<number>
  channelState(label: string): string
  received: { label: string; data: string }[]
  send(label: string, text: string): void
  setMicrophone(on: boolean): void
  whiteFrames(videoMid: string, count: number): Promise<number>
  measureSync(audioMid: string, videoMid: string, count: number): Promise<number[]>
}

/** Runs inside the page and imports nothing. */
export function inPage(): void {
  const peer = new RTCPeerConnection()
  const context = new AudioContext()
  const videos = new Map<string, HTMLVideoElement>()
  const analysers = new Map<string, AnalyserNode>()
  const streams: Record<string, string | undefined> = {}
  const channels = new Map<string, RTCDataChannel>()
  const received: { label: string; data: string }[] = []
  let sent: MediaStream | null = null

  const keep = (channel: RTCDataChannel) => {
    channel.binaryType = 'arraybuffer'
    channels.set(channel.label, channel)
    channel.onmessage = ({ data }) => {
      const text = typeof data === 'string' ? data : `bytes ${[...new Uint8Array(data)].join(' ')}`
      received.push({ label: channel.label, data: text })
    }
  }
  peer.ondatachannel = ({ channel }) => keep(channel)
  peer.ontrack = ({ track, transceiver, streams: [stream] }) => {
    const mid = transceiver.mid!
    streams[mid] = stream?.id
    const element = document.createElement(track.kind === 'audio' ? 'audio' : 'video')
    element.autoplay = true
    element.srcObject = new MediaStream([track])
    document.body.append(element)
    if (element instanceof HTMLVideoElement) {
      element.muted = true
      element.width = 320
      videos.set(mid, element)
      return
    }
    const analyser = new AnalyserNode(context, { fftSize: 16384, smoothingTimeConstant: 0 })
    context.createMediaStreamSource(new MediaStream([track])).connect(analyser)
    analysers.set(mid, analyser)
  }

  /** One negotiation at a time. */
  let negotiating: Promise<unknown> = Promise.resolve()
  const negotiate = () => {
    const negotiated = negotiating.then(offer)
    negotiating = negotiated.catch(() => {})
    return negotiated
  }
  const offer = async () => {
    await peer.setLocalDescription()
    const answer = await (window as unknown as { answerOffer(sdp: string): Promise<string> }).answerOffer(
      peer.localDescription!.sdp,
    )
    await peer.setRemoteDescription({ type: 'answer', sdp: answer })
  }

  const watchFrames = (mid: string, look: (isWhite: boolean, shownAt: number) => boolean) => {
    const video = videos.get(mid)!
    const drawing = new OffscreenCanvas(8, 8).getContext('2d', { willReadFrequently: true })!
    return new Promise<void>((resolve) => {
      const onFrame: VideoFrameRequestCallback = (_now, { expectedDisplayTime }) => {
        drawing.drawImage(video, 0, 0, 8, 8)
        const { data } = drawing.getImageData(0, 0, 8, 8)
        const isWhite = [0, 60, 124, 200].every((at) => data[at]! > 220)
        if (look(isWhite, expectedDisplayTime)) resolve()
        else video.requestVideoFrameCallback(onFrame)
      }
      video.requestVideoFrameCallback(onFrame)
    })
  }

  window.media = {
    received,
    async join({ audio, video, sends }) {
      for (let i = 0; i < audio; i++) peer.addTransceiver('audio', { direction: 'recvonly' })
      for (let i = 0; i < video; i++) peer.addTransceiver('video', { direction: 'recvonly' })
      keep(peer.createDataChannel('captions'))
      if (sends) {
        sent = await navigator.mediaDevices.getUserMedia({ audio: true, video: { width: 640, height: 360 } })
        for (const track of sent.getTracks()) peer.addTransceiver(track, { direction: 'sendonly', streams: [sent] })
      }
      await negotiate()
      await new Promise<void>((resolve, reject) => {
        const check = () => {
          if (peer.connectionState === 'connected') resolve()
          if (peer.connectionState === 'failed') reject(new Error('the connection failed'))
        }
        peer.addEventListener('connectionstatechange', check)
        check()
      })
    },
    async addVideoLines(count) {
      for (let i = 0; i < count; i++) peer.addTransceiver('video', { direction: 'recvonly' })
      await negotiate()
    },
    async addLines(wanted) {
      await negotiating
      for (const kind of ['audio', 'video'] as const) {
        const lines = peer.getTransceivers().filter(({ receiver }) => receiver.track.kind === kind)
        for (let count = lines.length; count < wanted[kind]; count++)
          peer.addTransceiver(kind, { direction: 'recvonly' })
      }
      await negotiate()
    },
    streams() {
      const open = peer.getTransceivers().filter(({ currentDirection }) => currentDirection === 'recvonly')
      return Object.fromEntries(
        open.map(({ mid, receiver }) => {
          const source = receiver.getSynchronizationSources()[0]
          const facts = { muted: receiver.track.muted, source: source?.source ?? null, level: source?.audioLevel ?? 0 }
          return [streams[mid!] ?? '', { mid: mid!, ...facts }]
        }),
      )
    },
    async setLine(mid, direction) {
      peer.getTransceivers().find((transceiver) => transceiver.mid === mid)!.direction = direction
      await negotiate()
    },
    grab(mid) {
      const video = videos.get(mid)
      if (!video || video.videoWidth === 0) return null
      const canvas = new OffscreenCanvas(video.videoWidth, video.videoHeight)
      const drawing = canvas.getContext('2d')!
      drawing.drawImage(video, 0, 0)
      const { data } = drawing.getImageData(0, 0, canvas.width, canvas.height)
      let bytes = ''
      for (let i = 0; i < data.length; i += 4096) bytes += String.fromCharCode(...data.subarray(i, i + 4096))
      return { width: canvas.width, height: canvas.height, pixels: btoa(bytes) }
    },
    loudness(mid, frequencies) {
      const analyser = analysers.get(mid)!
      const decibels = new Float32Array(analyser.frequencyBinCount)
      analyser.getFloatFrequencyData(decibels)
      return frequencies.map((frequency) => {
        const bin = Math.round((frequency * analyser.fftSize) / context.sampleRate)
        return Math.max(decibels[bin - 1]!, decibels[bin]!, decibels[bin + 1]!)
      })
    },
    sources(mid) {
      const receiver = peer.getTransceivers().find((transceiver) => transceiver.mid === mid)!.receiver
      return receiver.getContributingSources().map(({ source, audioLevel }) => ({ source, audioLevel }))
    },
    streamIds: () => streams,
    async decodedFrames() {
      const frames: Record<string, number> = {}
      for (const report of (await peer.getStats()).values()) {
        if (report.type === 'inbound-rtp' && report.kind === 'video') frames[report.mid] = report.framesDecoded
      }
      return frames
    },
    async receivedPackets(mid) {
      const reports = [...(await peer.getStats()).values()]
      return reports.find(({ type, mid: of }) => type === 'inbound-rtp' && of === mid)?.packetsReceived ?? 0
    },
    channelState: (label) => channels.get(label)?.readyState ?? 'absent',
    send: (label, text) => channels.get(label)!.send(text),
    setMicrophone(on) {
      for (const track of sent!.getAudioTracks()) track.enabled = on
    },
    async whiteFrames(videoMid, count) {
      let seen = 0
      let white = 0
      await watchFrames(videoMid, (isWhite) => {
        seen++
        // A flash that had begun, and frames in transit.
        if (isWhite && seen > 12) white++
        return seen >= count
      })
      return white
    },
    async measureSync(audioMid, videoMid, count) {
      // Sound: a worklet notes the context time at which the beep begins. Picture: the instant at which a frame turns
      // white.
      const source = `registerProcessor('onset', class extends AudioWorkletProcessor {
        constructor() { super(); this.quiet = 0 }
        process([[samples]]) {
          if (!samples) return true
          const at = samples.findIndex((sample) => Math.abs(sample) > 0.05)
          if (at === -1) this.quiet += samples.length
          else {
            if (this.quiet > sampleRate / 2) this.port.postMessage(currentTime + at / sampleRate)
            this.quiet = 0
          }
          return true
        }
      })`
      await context.audioWorklet.addModule(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })))
      const beeps: number[] = []
      const node = new AudioWorkletNode(context, 'onset')
      node.port.onmessage = ({ data }) => {
        const { contextTime = 0, performanceTime = 0 } = context.getOutputTimestamp()
        beeps.push(performanceTime + (data - contextTime) * 1000)
      }
      const tracks = peer.getTransceivers()
      const audio = tracks.find((transceiver) => transceiver.mid === audioMid)!.receiver.track
      context
        .createMediaStreamSource(new MediaStream([audio]))
        .connect(node)
        .connect(context.destination)
      const flashes: number[] = []
      let wasWhite = true
      await watchFrames(videoMid, (isWhite, shownAt) => {
        if (isWhite && !wasWhite) flashes.push(shownAt)
        wasWhite = isWhite
        return flashes.length > count
      })
      // The first one may have come before the sound was listened to.
      return flashes.slice(1).map((flash) => {
        const nearest = beeps.reduce(
          (best, beep) => (Math.abs(beep - flash) < Math.abs(best - flash) ? beep : best),
          1e12,
        )
        return Math.round(flash - nearest)
      })
    },
  }
}
