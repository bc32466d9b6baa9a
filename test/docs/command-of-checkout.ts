/** The command `standin` of this checkout, from its sources, for the lines of a page. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'

const PROGRAMS = [
  ['service', 'shift', 'control-plane/main/cli/index.ts'],
  ['mcp', 'shift', 'packages/mcp/main.ts'],
  ['*', ':', 'src/cli/index.ts'],
]

/** Makes `bin/standin` in the folder. Resolves with the environment of its shell. */
export async function installCommand(folder: string): Promise<Record<string, string>> {
  const bin = join(folder, 'bin')
  await mkdir(bin)
  const cases = PROGRAMS.map(([word, first, file]) => `${word}) ${first}; exec node ${packageRoot}/${file} "$@"`)
  await writeFile(join(bin, 'standin'), `#!/bin/sh\ncase $1 in ${cases.join(' ;; ')} ;; esac\n`, { mode: 0o755 })
  return { PATH: [bin, dirname(process.execPath), process.env.PATH].join(':'), HOME: process.env.HOME! }
}
