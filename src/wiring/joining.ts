/** Joins the recordings of several attempts of one bot. */
import { lstat, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readMeeting } from '@standin/wire/meeting-links/index.ts'
import { joinFiles, mediaSeconds, takePicture } from '../../recorder/index.ts'
import { writeReport } from '../report/index.ts'
import { type JoinedFile, joinParts, type Part } from '../run/joined/index.ts'
import { openStorage, type StorageConfig, StorageError } from '../storage/index.ts'
import { joinTranscripts, spokenIn } from '../transcription/index.ts'

export type StoragePlace = StorageConfig

/** Makes one recording of those that several attempts of a bot left. Rejects if that is impossible; nothing is lost then. */
export async function joinRecordings(
  { botId, parts, to, beganAt }: { botId: string; parts: StoragePlace[]; to: StoragePlace; beganAt: number | null },
  signal: AbortSignal,
): Promise<JoinedFile[]> {
  const target = await openStorage(to, { botId })
  await target.prepare(signal)
  // Files of a folder get their place without being copied once more.
  const folder =
    to.type === 'folder' ? join(target.location(), '.joining') : await mkdtemp(join(tmpdir(), 'standin-joining-'))
  const work = join(folder, botId)
  try {
    await rm(folder, { recursive: true, force: true })
    await mkdir(work, { recursive: true, mode: 0o700 })
    return await joinParts({
      botId,
      parts: await Promise.all(
        parts.map((place, number) => openPart(place, botId, join(folder, String(number)), signal)),
      ),
      beganAt,
      workFolder: work,
      store: (file) => target.store(file, signal),
      mediaSeconds: (file) => mediaSeconds(file, signal),
      joinFiles: (files, path) => joinFiles(files, { target: path, folder, signal }),
      joinTranscripts: (place, given) =>
        joinTranscripts(place, { botId, parts: given.map((part) => ({ ...part, live: spokenIn(part.events) })) }),
      writeReport,
      takePicture,
      nameOfMeeting(url) {
        const meeting = readMeeting(url)
        return 'problem' in meeting ? null : { platform: meeting.platform, meetingId: meeting.meetingId }
      },
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Files of a folder are read where they lie; others are fetched into `folder`. */
async function openPart(place: StoragePlace, botId: string, folder: string, signal: AbortSignal): Promise<Part> {
  const storage = await openStorage(place, { botId })
  if (place.type === 'folder') {
    if ((await lstat(storage.location()).catch(() => null))?.isSymbolicLink())
      throw new Error(`${storage.location()} is a symbolic link, which is not followed. Remove it.`)
    return {
      async file(name) {
        const path = join(storage.location(), name)
        return (await lstat(path).catch(() => null))?.isFile() ? path : null
      },
    }
  }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return {
    async file(name) {
      const path = join(folder, name)
      try {
        await storage.fetch(name, path, signal)
        return path
      } catch (error) {
        if (error instanceof StorageError && error.trouble === 'missing') return null
        throw error
      }
    },
  }
}
