/**
 * A unit test starts no program: no PostgreSQL, no browser, no child process. A file that does is named `.db.test.ts` or
 * `.process.test.ts`, so that its lane is chosen by what it needs.
 */
import childProcess from 'node:child_process'
import { syncBuiltinESMExports } from 'node:module'

const STARTS = ['spawn', 'exec', 'execFile', 'fork', 'spawnSync', 'execSync', 'execFileSync'] as const

for (const name of STARTS)
  Object.assign(childProcess, {
    [name]: (program: unknown) => {
      throw new Error(`A unit test starts ${String(program)}: name its file .db.test.ts or .process.test.ts`)
    },
  })
syncBuiltinESMExports()
