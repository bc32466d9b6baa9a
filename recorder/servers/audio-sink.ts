import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fitsSocket, socketParent } from '@standin/wire/process/socket-folder.ts'
import { CAPTURE_SAMPLE_RATE } from '../../packages/core/meeting/capture-sample-rate.ts'
import { type Supervised, supervise } from '../../packages/core/process/supervised.ts'
import { childEnvironment } from '../settings.ts'

export interface AudioSink {
  /** Path of the server's socket. */
  server: string
  /** The sink that the browser plays into. */
  sink: string
  /** The source that the recording is taken from: what the sink plays, nothing else. */
  monitor: string
  /** A second sink, for the bot's own voice; null if it says nothing. */
  voice: { sink: string; monitor: string } | null
  process: Supervised
}

const SINK = 'meeting'
const VOICE_SINK = 'own_voice'
const SILENT_SOURCE = 'no_microphone'
/** Name of the server's socket in its folder. */
const SOCKET = 'native'
const CONNECT_INTERVAL_MS = 25

/**
 * Starts a separate sound server for the bot, without sound hardware, D-Bus or the machine's configuration.
 *
 * The default source is a separate silent one and never the monitor: a page that asks for a microphone without naming it
 * must not send the participants their own voices back. The microphone that speaks is made in the page.
 *
 * norewinds holds the sink's latency at 50 ms or less. By default it grows to two seconds while nothing plays, and the
 * times of the first second of a recording are then off by up to half a second (measured).
 *
 * The bot's voice has a separate sink: the recording mixes both, while the live stream of the meeting must not contain the
 * bot.
 *
 * The server's own rate, which no option says, is what Chromium plays at: left at 44,100 Hz, the page's sound would be
 * resampled twice on its way. The file that says it also keeps out the machine's own settings.
 *
 * -n reads no start-up file; idle exit and exit on request are off; no pid file and no shared memory (small in containers).
 * Priority is asked for, because a starved sound server is what breaks first on a busy machine; if it is not allowed,
 * as in most containers, the server runs without. The socket module comes last, so that each client that connects finds the sink.
 * auth-anonymous, because the folder's mode is the lock: only the bot's own user reaches the socket.
 */
export async function startAudioSink(options: {
  /** From `makeSoundHome`. A server that takes the place of another in it is found at the same address. */
  home: string
  withVoice: boolean
  readyDeadlineMs: number
  signal: AbortSignal
}): Promise<AudioSink> {
  const { home } = options
  const socket = join(home, SOCKET)
  const sinks = options.withVoice ? [SINK, VOICE_SINK] : [SINK]
  const configuration = join(home, 'daemon.conf')
  await writeFile(configuration, `default-sample-rate = ${CAPTURE_SAMPLE_RATE}\n`)
  const process = await supervise({
    name: 'sound server',
    command: 'pulseaudio',
    args: [
      '-n',
      '--daemonize=no',
      '--exit-idle-time=-1',
      '--disallow-exit',
      '--use-pid-file=no',
      '--disable-shm=yes',
      '--realtime=yes',
      '--high-priority=yes',
      '--log-target=stderr',
      '--log-level=warn',
      ...sinks.map(
        (name) =>
          `--load=module-null-sink sink_name=${name} rate=${CAPTURE_SAMPLE_RATE} channels=2 format=s16le norewinds=yes`,
      ),
      `--load=module-null-source source_name=${SILENT_SOURCE} rate=${CAPTURE_SAMPLE_RATE} channels=1`,
      `--load=module-native-protocol-unix socket=${socket} auth-anonymous=1`,
    ],
    env: {
      ...childEnvironment(home),
      PULSE_CONFIG: configuration,
      PULSE_RUNTIME_PATH: home,
      PULSE_STATE_PATH: home,
      DBUS_SESSION_BUS_ADDRESS: 'disabled:',
      DBUS_SYSTEM_BUS_ADDRESS: 'disabled:',
    },
    ready: (child) => accepts(socket, child),
    readyDeadlineMs: options.readyDeadlineMs,
    signal: options.signal,
  })
  const voice = options.withVoice ? { sink: VOICE_SINK, monitor: `${VOICE_SINK}.monitor` } : null
  return { server: socket, sink: SINK, monitor: `${SINK}.monitor`, voice, process }
}

/**
 * Makes the server's own folder: in the working folder where its path is short and plain enough for a module's argument,
 * else in the system's. `remove` takes away what would outlive the working folder.
 */
export async function makeSoundHome(folder: string): Promise<{ home: string; remove(): Promise<void> }> {
  const inside = join(folder, 'pulse')
  if (fitsSocket(join(inside, SOCKET), { isPlain: true })) {
    await mkdir(inside, { recursive: true, mode: 0o700 })
    return { home: inside, remove: async () => {} }
  }
  const home = await mkdtemp(join(socketParent(`standin-pulse-XXXXXX/${SOCKET}`, { isPlain: true }), 'standin-pulse-'))
  return { home, remove: () => rm(home, { recursive: true, force: true }) }
}

async function accepts(path: string, child: Supervised): Promise<void> {
  while (child.ending() === null) {
    const isAccepted = await new Promise<boolean>((resolve) => {
      const socket = connect(path)
      socket.once('connect', () => resolve(true))
      socket.once('error', () => resolve(false))
      socket.once('close', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
    if (isAccepted) return
    await sleep(CONNECT_INTERVAL_MS)
  }
}
