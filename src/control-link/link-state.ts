/** The small file beside the journal: which journal it is, and up to where the control plane has stored it. */
import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { z } from 'zod'

const stateSchema = z.strictObject({ journal_id: z.uuid(), acknowledged: z.int().min(0) })
export type LinkState = z.infer<typeof stateSchema>

/** A state that is missing or unreadable means a new journal: the control plane is then given everything again. */
export function readLinkState(path: string): LinkState {
  try {
    return stateSchema.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    return { journal_id: randomUUID(), acknowledged: 0 }
  }
}

/** Old or new, never half: written beside and renamed. Throws what the file system throws. */
export function writeLinkState(path: string, state: LinkState): void {
  const beside = `${path}.new`
  // Do not write into a leftover file of a killed process, or through a link.
  rmSync(beside, { force: true })
  writeFileSync(beside, `${JSON.stringify(state)}\n`, { flag: 'wx', mode: 0o600 })
  renameSync(beside, path)
}
