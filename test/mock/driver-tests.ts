import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../core/process/page-scripts.ts'

/**
 * Returns the scenarios that no test of the platform's driver opens. The driver's tests check the others in more
 * detail.
 */
export function notOpenedByDriverTests(platform: string, scenarios: readonly string[]): string[] {
  const files = globSync(['conformance/*.ts', `${platform}/**/*.browser.test.ts`], {
    cwd: join(packageRoot, 'test', 'platforms'),
  })
  const text = files.map((file) => readFileSync(join(packageRoot, 'test', 'platforms', file), 'utf8')).join('\n')
  return scenarios.filter((name) => !text.includes(`'${name}'`))
}
