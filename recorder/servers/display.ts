import { join } from 'node:path'
import { type Supervised, supervise } from '../../packages/core/process/supervised.ts'
import { childEnvironment } from '../settings.ts'
import { writeXAuthority } from './x-authority.ts'

export interface Display {
  /** Such as `:99`. */
  name: string
  /** Path of the Xauthority file: clients need it to connect. */
  authority: string
  process: Supervised
}

/**
 * Starts a virtual screen on a free display number, exactly as large as the recording. Rejects when it is not ready in
 * time.
 *
 * -auth refuses clients without the cookie in this file, those of the same user too. The option -nolisten tcp keeps the
 * display on this machine. The option -nolisten unix leaves the abstract socket alone: /tmp/.X11-unix may belong to another
 * user. With -displayfd the server finds a free number by the abstract socket, and writes it once it
 * accepts connections. Without that socket two servers take the same number, and the second server gets the clients of the
 * first. With -nocursor no pointer is ever in the picture. The option -noreset is needed because the screen is otherwise
 * reset when its last window closes. Without GLX the server loads no compiler for shaders (43 MB); Chromium draws by itself.
 * With -s 0 and -dpms there is no screen saver and no blanking, which would turn hours
 * of recording black.
 */
export async function startDisplay(options: {
  width: number
  height: number
  folder: string
  readyDeadlineMs: number
  signal: AbortSignal
}): Promise<Display> {
  const authority = join(options.folder, 'x-authority')
  await writeXAuthority(authority)
  let name = ''
  let announce: () => void = () => {}
  const announced = new Promise<void>((resolve) => {
    announce = resolve
  })
  const process = await supervise({
    name: 'display server',
    command: 'Xvfb',
    args: [
      ...['-displayfd', '3'],
      ...['-screen', '0', `${options.width}x${options.height}x24`],
      ...['-auth', authority],
      ...['-nolisten', 'tcp'],
      ...['-nolisten', 'unix'],
      '-nocursor',
      ...['-extension', 'GLX'],
      '-noreset',
      ...['-s', '0'],
      '-dpms',
    ],
    env: childEnvironment(options.folder),
    extraPipes: 1,
    lines: {
      3: (line) => {
        if (!/^\d+$/.test(line)) return
        name = `:${line}`
        announce()
      },
    },
    ready: () => announced,
    readyDeadlineMs: options.readyDeadlineMs,
    signal: options.signal,
  })
  return { name, authority, process }
}
