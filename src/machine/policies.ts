/** Policies of the operator's organization that keep Chromium from being driven by a bot. */
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Finding, fine, unfit } from '@standin/wire/text/findings.ts'

type Policies = Readonly<Record<string, unknown>>

/** Tried with Chromium 156: with each of these it does not start, does not answer, or opens no page. */
const HARMFUL: Readonly<Record<string, (value: unknown, all: Policies) => boolean>> = {
  RemoteDebuggingAllowed: (value) => value === false,
  DeveloperToolsAvailability: (value) => value === 2,
  HeadlessMode: (value) => value === 2,
  BrowserSignin: (value) => value === 2,
  DefaultJavaScriptSetting: (value) => value === 2,
  URLBlocklist: (value, { URLAllowlist: allowed }) =>
    Array.isArray(value) &&
    ['*', 'https:*', 'https://*'].some((all) => value.includes(all)) &&
    !(Array.isArray(allowed) && allowed.length > 0),
}

/** Where a browser of this name reads its policies. */
function policyFolders(browser: string): string[] {
  const name = basename(browser)
  if (/edge/.test(name)) return ['/etc/opt/edge/policies/managed']
  if (/brave/.test(name)) return ['/etc/brave/policies/managed']
  if (/chrome/.test(name)) return ['/etc/opt/chrome/policies/managed', '/etc/opt/chrome_for_testing/policies/managed']
  return ['/etc/chromium/policies/managed', '/etc/chromium-browser/policies/managed']
}

/** `browser`: its program, or the name of it. */
export async function checkPolicies(browser: string, folders = policyFolders(browser)): Promise<Finding> {
  const part = 'Browser policies'
  const files = (await Promise.all(folders.map(filesIn))).flat()
  const all = Object.assign({}, ...files.map(({ policies }) => policies)) as Policies
  const harmful = files.flatMap(({ path, policies }) =>
    Object.entries(policies)
      .filter(([name, value]) => HARMFUL[name]?.(value, all))
      .map(([name, value]) => `${name} is ${JSON.stringify(value)} in ${path}`),
  )
  if (harmful.length === 0) return fine(part, files.length === 0 ? 'none' : 'none that keeps a bot out')
  return unfit(part, harmful.join('; '), 'Remove it from that file, or name another browser in STANDIN_CHROMIUM.')
}

/** Of a folder that is not there, and of what Chromium cannot read either: nothing. */
async function filesIn(folder: string): Promise<{ path: string; policies: Policies }[]> {
  const names = (await readdir(folder).catch(() => [])).sort()
  const read = names.map(async (name) => {
    const path = join(folder, name)
    const policies: unknown = await readFile(path, 'utf8')
      .then(lenientJson)
      .catch(() => null)
    return policies !== null && typeof policies === 'object' ? [{ path, policies: policies as Policies }] : []
  })
  return (await Promise.all(read)).flat()
}

/** Chromium takes a byte order mark, comments, and a comma before a closing bracket. */
const lenientJson = (text: string): unknown =>
  JSON.parse(
    text
      .replace(/^\ufeff/, '')
      .replace(/("(?:[^"\\]|\\.)*")|\/\/.*|\/\*[\s\S]*?\*\//g, '$1')
      .replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, '$1'),
  )
