import { runProgram } from '../packages/core/process/run-program.ts'

/** Wide enough for a player beside its transcript. Pixels. */
const WIDTH = 960

/** Writes the picture of the video `file` at `at` seconds to `target`, a JPEG. No file is written if the video has none there. */
export async function takePicture(
  file: string,
  { at, target }: { at: number; target: string },
  signal: AbortSignal,
): Promise<void> {
  const picture = ['-frames:v', '1', '-vf', `scale=${WIDTH}:-2`, '-q:v', '5', '-f', 'mjpeg']
  await runProgram(
    'ffmpeg',
    ['-v', 'error', '-nostdin', '-y', '-ss', String(at), '-i', file, ...picture, target],
    signal,
  )
}
