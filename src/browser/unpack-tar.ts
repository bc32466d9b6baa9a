/** Unpacks a `.tar.gz` that somebody else made: plain files and folders only, inside one folder, bounded in size. */
import { pipeline } from 'node:stream/promises'
import { gunzipSync } from 'node:zlib'
import { extract } from 'tar'

/** Rejects for a name that leaves the folder and for more than `maxBytes`. Links and devices are left out. */
export async function unpackTar(gzipped: Uint8Array, folder: string, maxBytes: number): Promise<void> {
  // Unzipped as a whole first, so that an archive which swells is refused before anything is written.
  const tar = gunzipSync(gzipped, { maxOutputLength: maxBytes })
  const unpacking = extract({
    cwd: folder,
    // What the library would only warn of, such as a name that leads outside, is an error.
    strict: true,
    noChmod: true,
    filter: (_path, entry) => 'type' in entry && ['File', 'OldFile', 'Directory'].includes(entry.type),
  })
  await pipeline([tar], unpacking)
}
