/** A small image in place of the worker's, for launchers that run containers. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Docker from 'dockerode'

const BASE = 'node:24-bookworm-slim'
const FOLDER = dirname(fileURLToPath(import.meta.url))
export const DOCKER_SOCKET = process.env.DOCKER_HOST?.replace(/^unix:\/\//, '') ?? '/var/run/docker.sock'
export const docker = new Docker({ socketPath: DOCKER_SOCKET })

/** Why the image cannot be made here; null if it can. Nothing is pulled for a test. */
export async function whyNoImage(): Promise<string | null> {
  try {
    await docker.ping()
  } catch {
    return `no Docker engine answers at ${DOCKER_SOCKET}; DOCKER_HOST names one`
  }
  const hasBase = await docker
    .getImage(BASE)
    .inspect()
    .then(
      () => true,
      () => false,
    )
  return hasBase ? null : `the engine does not have ${BASE}; docker/try.sh makes it`
}

export async function buildStandInImage(name: string): Promise<void> {
  const place = mkdtempSync(join(tmpdir(), 'standin-image-'))
  const dockerfile = `FROM ${BASE}\nCOPY stand-in-bot.mjs /bot.mjs\nRUN mkdir /recordings && chown 1000:1000 /recordings\nVOLUME /recordings\nUSER 1000:1000\nENTRYPOINT ["node", "/bot.mjs"]\n`
  execFileSync('sh', ['-c', `cp "${FOLDER}/../stand-in-bot.mjs" . && cat >Dockerfile`], {
    cwd: place,
    input: dockerfile,
  })
  const built = await docker.buildImage({ context: place, src: ['Dockerfile', 'stand-in-bot.mjs'] }, { t: name })
  await new Promise<void>((resolve, reject) =>
    docker.modem.followProgress(built, (error, lines) => {
      const problem = error ?? lines?.find((line: { error?: string }) => line.error)
      if (problem) reject(new Error(JSON.stringify(problem)))
      else resolve()
    }),
  )
  rmSync(place, { recursive: true, force: true })
}
