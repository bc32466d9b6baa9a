/** Unpacks a `.tar.gz` from an untrusted source: plain files and folders only, inside one folder, bounded in size and number. */
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { extract } from 'tar'

/** A profile without its caches has some thousand files. */
const MAX_ENTRIES = 50_000
const FILE_MODE = 0o600
const FOLDER_MODE = 0o700

/** Rejects for a name that leaves the folder and beyond the limits. Links and devices are left out, and so are the modes of the archive. */
export async function unpackTar(
  gzipped: Uint8Array,
  folder: string,
  limits: { maxBytes: number; maxEntries?: number },
): Promise<void> {
  const { maxBytes, maxEntries = MAX_ENTRIES } = limits
  // Unzipped as a whole first, so that an archive which swells is refused before anything is written.
  const tar = await promisify(gunzip)(gzipped, { maxOutputLength: maxBytes })
  await new Promise<void>((resolve, reject) => {
    let entries = 0
    const unpacking = extract({
      cwd: folder,
      // Cases for which the library would only warn, such as a name that leads outside, are errors.
      strict: true,
      noChmod: true,
      filter: (_path, entry) => {
        if (++entries > maxEntries) unpacking.abort(new Error(`The archive has more than ${maxEntries} entries`))
        if (!('type' in entry) || !['File', 'OldFile', 'Directory'].includes(entry.type)) return false
        // No set-user-id, set-group-id or sticky bit, and no folder that its owner cannot read.
        entry.mode = entry.type === 'Directory' ? FOLDER_MODE : FILE_MODE
        return true
      },
    })
    // The stream of the library has no `finish` for an archive without files, so `pipeline` would wait for ever.
    unpacking.on('close', () => resolve())
    unpacking.on('error', reject)
    unpacking.end(tar)
  })
}
