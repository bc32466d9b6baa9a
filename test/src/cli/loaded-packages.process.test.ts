/** Which packages a bot loads at its start: each costs every bot memory and time. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../../packages/core/process/page-scripts.ts'

const JOIN = join(packageRoot, 'src/cli/join.ts')
const LIST_PACKAGES = `
import { registerHooks } from 'node:module'
const packages = new Set()
registerHooks({
  resolve(name, context, next) {
    if (!/^(\\.|node:|file:|\\/)/.test(name) && !/node_modules/.test(context.parentURL ?? '')) packages.add(name)
    return next(name, context)
  },
})
await import(process.argv[1])
console.log(JSON.stringify([...packages]))
process.exit()
`

test('a bot starts without the library of the browser, and loads those of a bucket, a proxy, a stored profile and a speech service only if it needs them', () => {
  const answer = execFileSync(process.execPath, ['--input-type=module', '-e', LIST_PACKAGES, JOIN], {
    encoding: 'utf8',
  })
  const packages = (JSON.parse(answer) as string[]).filter((name) => !name.startsWith('@standin/'))
  expect(packages.sort()).toEqual(['commander', 'ipaddr.js', 'pino', 'ws', 'zod'])
})
