/** Every image that is made elsewhere is in docker/base-images, and docker/base-images.sh pins it to a digest. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'

const text = (path: string) => readFileSync(join(packageRoot, path), 'utf8')
const IMAGES = Object.fromEntries(
  [...text('docker/base-images').matchAll(/^(\w+)=(.+)$/gm)].map(([, name, image]) => [name, image]),
)
const OWN = /^(registry\.example\.com\/)?standin(-[a-z0-9-]+)?(:|$)/

/** `${NAME:-image}` has the image that the file has under this name. */
const isListed = (value: string): boolean => {
  const [, name = '', image] = /^\$\{(\w+):-(.+)\}$/.exec(value) ?? []
  return image !== undefined && IMAGES[name] === image
}

test.each(globSync('docker/**/Dockerfile', { cwd: packageRoot }))('%s starts from images of the list', (path) => {
  const content = text(path)
  const defaults = Object.fromEntries([...content.matchAll(/^ARG (\w+_IMAGE)=(.+)$/gm)].map(([, ...pair]) => pair))
  const buildSteps = [...content.matchAll(/^FROM .* AS (\S+)$/gm)].map(([, name]) => name)
  const bases = [...content.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base!)
  expect(bases.length).toBeGreaterThan(0)
  for (const base of bases.filter((one) => !buildSteps.includes(one))) {
    const name = /^\$\{(\w+)\}$/.exec(base)?.[1] ?? ''
    expect(defaults[name], base).toBe(IMAGES[name])
    expect(IMAGES[name], base).toBeDefined()
  }
})

interface Compose {
  services: Record<string, { image: string; build?: { args?: Record<string, string> } }>
}

test.each(globSync('docker/compose*.yaml', { cwd: packageRoot }))(
  '%s runs and builds from images of the list',
  (path) => {
    for (const [name, { image, build }] of Object.entries((parse(text(path)) as Compose).services)) {
      expect(OWN.test(image) || isListed(image), `${name}: ${image}`).toBe(true)
      if (build !== undefined) expect(Object.values(build.args ?? {}).map(isListed), name).toEqual([true])
    }
  },
)

test('the Helm chart runs our images, and images of the list', () => {
  const files = globSync('docker/helm/*/values*.yaml', { cwd: packageRoot })
  const named = files.flatMap((path) => Object.values((parse(text(path)) as { images: Record<string, string> }).images))
  const foreign = named.filter((image) => image !== '' && !OWN.test(image))
  expect(new Set(foreign)).toEqual(new Set([IMAGES.POSTGRES_IMAGE]))
})

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'standin-base-images-'))
  for (const name of ['base-images', 'base-images.sh']) cpSync(join(packageRoot, 'docker', name), join(folder, name))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** `answer`: what Docker says of an image, `$1`. */
function pin(answer: string) {
  writeFileSync(join(folder, 'docker'), `#!/bin/sh\nshift 5\n${answer}\n`, { mode: 0o755 })
  return spawnSync('sh', [join(folder, 'base-images.sh')], {
    env: { PATH: `${folder}:${process.env.PATH}` },
    encoding: 'utf8',
  })
}
const pins = () => readFileSync(join(folder, '.env'), 'utf8').trim().split('\n')

test('the script pins each image, and keeps other settings', () => {
  writeFileSync(join(folder, '.env'), 'DOCKER_GROUP=998\nNODE_IMAGE=old@sha256:1\n')
  expect(pin('echo "sha256:of-$1"').status).toBe(0)
  const expected = Object.entries(IMAGES).map(([name, image]) => `${name}=${image}@sha256:of-${image}`)
  expect(pins()).toEqual(['DOCKER_GROUP=998', ...expected])
})

test.each(['exit 1', 'echo none', 'case $1 in postgres*) exit 1 ;; *) echo sha256:1 ;; esac'])(
  'the script changes nothing without every digest: %s',
  (answer) => {
    expect(pin(answer).status).not.toBe(0)
    expect(existsSync(join(folder, '.env'))).toBe(false)
  },
)
