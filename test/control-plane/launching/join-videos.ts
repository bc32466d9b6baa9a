/** Joins the recordings of simulated bots: text one after the other, as `standin join-parts` does with pictures. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JoinParts } from '@standin/control-plane/launching/reconcile/assemble.ts'

export const joinVideos: JoinParts = async ({ botId, from, to }) => {
  const folderOf = (storage: (typeof from)[number]) => {
    if (storage.type !== 'folder') throw new Error('Simulated bots record into folders')
    return join(storage.path, botId)
  }
  const parts = await Promise.all(from.map((part) => readFile(join(folderOf(part), 'video.mp4'), 'utf8')))
  await mkdir(folderOf(to), { recursive: true, mode: 0o700 })
  await writeFile(join(folderOf(to), 'video.mp4'), parts.join('+'), { mode: 0o600 })
  return { files: [{ name: 'video.mp4', seconds: parts.length * 10 }] }
}
