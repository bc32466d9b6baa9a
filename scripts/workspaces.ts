/** Where the workspaces are: `@standin/wire/events.ts` is the file `packages/wire/events.ts`. */
import packageJson from '../package.json' with { type: 'json' }

/** Folders from the root, such as `packages/wire`. */
export const WORKSPACES: readonly string[] = packageJson.workspaces

/** The path from the root of what `@standin/…` names. Throws for an unknown workspace. */
export function pathOf(specifier: string): string {
  const [, name, ...rest] = specifier.split('/')
  const folder = WORKSPACES.find((path) => path.split('/').at(-1) === name)
  if (folder === undefined) throw new Error(`${specifier} is in no workspace`)
  return [folder, ...rest].join('/')
}
