import { join } from 'node:path'
import { type Supervised, supervise } from '../../src/process/supervised.ts'
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
 * -auth refuses clients without the cookie in this file, those of the same user too; -nolisten tcp keeps the display on this
 * machine. -displayfd writes the number it found once connections are accepted. It finds a free one by the abstract socket:
 * without that socket two servers take the same number, and the second one the clients of the first;
 * -nocursor, so that no pointer is ever in the picture; -noreset, because the screen otherwise starts afresh when its
 * last window closes; -s 0 and -dpms: no screen saver and no blanking, which would turn hours of recording black.
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
      '-nocursor',
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
