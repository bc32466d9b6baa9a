/** The images have the packages of the program: npm puts one into a workspace's folder if another version is in the common one. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'

const read = (path: string) => readFileSync(join(packageRoot, path), 'utf8')
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, { dev?: boolean }> }
/** The workspaces whose packages an image has, and where their programs are. */
const PLACES = [
  ['control-plane', 'service-packages', './dist/control-plane/'],
  ['control-plane', 'demo-packages', '/app/dist/control-plane/'],
  ['packages/mock', 'demo-packages', '/app/dist/packages/mock/'],
  ['packages/mcp', 'demo-packages', '/app/dist/packages/mcp/'],
  ['packages/mcp', 'service-packages', './dist/packages/mcp/'],
] as const

test.each(PLACES)("the packages of %s's folder are in the image of %s", (workspace, source, place) => {
  const separate = Object.entries(packages).filter(
    ([path, { dev }]) => path.startsWith(`${workspace}/node_modules/`) && !dev,
  )
  const copy = `COPY --from=${source} /app/${workspace}/node_modules ${place}node_modules\n`
  expect(read('docker/Dockerfile').includes(copy), separate.map(([path]) => path).join()).toBe(separate.length > 0)
})
