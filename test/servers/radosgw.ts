/**
 * A real S3 server for tests: Ceph's radosgw over one monitor and one store in memory, all of Debian, all children of
 * this process, on free ports, in a temporary folder.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from './free-port.ts'

const run = promisify(execFile)

/** Packages that a test machine needs; the project's set-up installs them. */
const RADOSGW_PACKAGES = ['radosgw', 'ceph-mon', 'ceph-osd', 'ceph-common'] as const

const PROGRAMS = ['radosgw', 'radosgw-admin', 'ceph', 'ceph-mon', 'ceph-osd', 'ceph-authtool', 'monmaptool']

/**
 * Clients that first fetch their settings from the monitor forget the cluster's id from the file. Until the monitor
 * sends it
 * again, a server sometimes refuses them ("wrong fsid").
 */
const ENVIRONMENT = { ...process.env, CEPH_ARGS: '--no-mon-config' }

/** Generous, since the machine may be busy; a cluster is usually there within 15 s. */
const START_DEADLINE_MS = 180_000

export interface Radosgw {
  endpoint: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  /** A role that may do everything, for this user; that of the keys unless told. Resolves with its ARN. */
  createRole(name: string, user?: string): Promise<string>
  /** Stops everything and removes the folder; repeatable. */
  stop(): Promise<void>
}

/** Rejects with one clear sentence when the packages are missing; a test is never skipped for that. */
async function requirePrograms(): Promise<void> {
  // Older releases of Debian had some of them in /usr/sbin.
  const env = { PATH: `${process.env.PATH}:/usr/bin:/usr/sbin` }
  const look = 'for program; do command -v "$program" >/dev/null || echo "$program"; done'
  const missing = (await run('sh', ['-c', look, 'sh', ...PROGRAMS], { env })).stdout.trim()
  if (missing === '') return
  throw new Error(
    `The tests against a real S3 server need ${missing.replaceAll('\n', ', ')}: ` +
      `apt-get install -y --no-install-recommends ${RADOSGW_PACKAGES.join(' ')}`,
  )
}

function configuration(folder: string, fsid: string, monPort: number, gatewayPort: number): string {
  return `[global]
fsid = ${fsid}
mon host = [v1:127.0.0.1:${monPort}]
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 1000
run dir = ${folder}
pid file = ${folder}/$name.pid
log file = ${folder}/$name.log
admin socket = ${folder}/$name.asok
crash dir = ${folder}
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind ipv6 = false
[mon]
mon data = ${folder}/mon
[osd]
osd data = ${folder}/osd0
osd objectstore = memstore
memstore device bytes = 2147483648
[client]
rgw frontends = beast endpoint=127.0.0.1:${gatewayPort}
rgw dynamic resharding = false
rgw data = ${folder}/rgw
keyring = ${folder}/keyring
`
}

const STS = 'rgw sts key = abcdefghijklmnop\nrgw s3 auth use sts = true\n'

interface Daemon {
  child: ChildProcess
  ended: Promise<void>
}

/**
 * Starts the cluster; resolves when the gateway answers. Rejects with the end of the log that matters. With STS it does not
 * say of wrong keys what is wrong with them.
 */
export async function startRadosgw({ hasSts = false } = {}): Promise<Radosgw> {
  await requirePrograms()
  const folder = await mkdtemp(path.join(tmpdir(), 'standin-radosgw-'))
  const file = (name: string) => path.join(folder, name)
  const config = file('ceph.conf')
  const daemons: Daemon[] = []
  const [monPort, gatewayPort] = [await freePort(), await freePort()]
  const endpoint = `http://127.0.0.1:${gatewayPort}`

  async function ask(program: string, ...args: string[]): Promise<string> {
    const { stdout } = await run(program, args, { env: ENVIRONMENT, timeout: START_DEADLINE_MS, maxBuffer: 1 << 24 })
    return stdout.trim()
  }

  async function startDaemon(name: string, program: string, args: string[]): Promise<Daemon> {
    const output = await open(file(`${name}.out`), 'a')
    // -f keeps the daemon in the foreground, so that it stays a child of this process.
    const child = spawn(program, ['-c', config, ...args, '-f'], {
      env: ENVIRONMENT,
      stdio: ['ignore', output.fd, output.fd],
    })
    const ended = new Promise<void>((resolve) => {
      child.once('exit', () => resolve())
      child.once('error', () => resolve())
    })
    await output.close()
    const daemon = { child, ended }
    daemons.push(daemon)
    return daemon
  }

  async function lastWords(name: string): Promise<string> {
    const said = await Promise.all(
      [`${name}.out`, `${name}.log`].map((each) => readFile(file(each), 'utf8').catch(() => '')),
    )
    return said.map((text) => text.slice(-2_000)).join('\n')
  }

  async function startGateway(): Promise<void> {
    const gateway = await startDaemon('radosgw', 'radosgw', ['-n', 'client.admin'])
    const deadline = Date.now() + START_DEADLINE_MS
    while (true) {
      const answers = await fetch(endpoint, { signal: AbortSignal.timeout(5_000) }).then(
        (answer) => answer.ok,
        () => false,
      )
      if (answers) return
      if (gateway.child.exitCode !== null || Date.now() > deadline) {
        throw new Error(`radosgw did not start at ${endpoint}: ${await lastWords('radosgw')}`)
      }
      await delay(100)
    }
  }

  async function startStore(ceph: (...args: string[]) => Promise<string>): Promise<void> {
    const deadline = Date.now() + START_DEADLINE_MS
    const store = await startDaemon('osd.0', 'ceph-osd', ['-i', '0'])
    await ceph('osd', 'crush', 'add', 'osd.0', '1.0', 'root=default', 'host=localhost')
    while (true) {
      const { num_up_osds: up } = JSON.parse(await ceph('osd', 'stat', '--format', 'json')) as { num_up_osds: number }
      if (up === 1) return
      if (store.child.exitCode !== null || Date.now() > deadline) {
        throw new Error(`ceph-osd did not come up: ${await lastWords('osd.0')}`)
      }
      await delay(100)
    }
  }

  // A test run that crashes must not leave a cluster behind.
  const killAll = () => {
    for (const daemon of daemons) daemon.child.kill('SIGKILL')
  }
  process.once('exit', killAll)

  async function stop(): Promise<void> {
    // Without politeness: the store is in memory and thrown away, and one asked to stop takes ten seconds over it.
    killAll()
    await Promise.all(daemons.map(({ ended }) => ended))
    process.removeListener('exit', killAll)
    await rm(folder, { recursive: true, force: true })
  }

  try {
    const fsid = crypto.randomUUID()
    await writeFile(config, configuration(folder, fsid, monPort, gatewayPort) + (hasSts ? STS : ''))
    for (const name of ['mon', 'osd0', 'rgw']) await mkdir(file(name))
    const monCaps = ['--cap', 'mon', 'allow *']
    await ask('ceph-authtool', '--create-keyring', file('keyring'), '--gen-key', '-n', 'mon.', ...monCaps)
    const adminCaps = [...monCaps, '--cap', 'osd', 'allow *']
    await ask('ceph-authtool', file('keyring'), '--gen-key', '-n', 'client.admin', ...adminCaps)
    const address = `[v1:127.0.0.1:${monPort}]`
    await ask('monmaptool', '--create', '--fsid', fsid, '--addv', 'a', address, file('monmap'))
    const monFiles = ['--monmap', file('monmap'), '--keyring', file('keyring')]
    await ask('ceph-mon', '-c', config, '--mkfs', '-i', 'a', ...monFiles)
    await startDaemon('mon', 'ceph-mon', ['-i', 'a'])
    const ceph = (...args: string[]) => ask('ceph', '-c', config, '--connect-timeout', '120', ...args)
    await ceph('osd', 'create')
    await ask('ceph-osd', '-c', config, '-i', '0', '--mkfs')
    await startStore(ceph)
    const keys = { accessKeyId: 'TESTKEY', secretAccessKey: 'TESTSECRETTESTSECRETTESTSECRET' }
    const user = ['--uid=test', '--display-name=test', `--access-key=${keys.accessKeyId}`]
    await ask('radosgw-admin', '-c', config, 'user', 'create', ...user, `--secret=${keys.secretAccessKey}`)
    await startGateway()
    return {
      endpoint,
      region: 'us-east-1',
      ...keys,
      async createRole(name, user = 'test') {
        const allow = (more: object) =>
          JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', ...more }] })
        const trust = allow({ Principal: { AWS: [`arn:aws:iam:::user/${user}`] }, Action: ['sts:AssumeRole'] })
        const rights = allow({ Action: ['s3:*'], Resource: ['arn:aws:s3:::*'] })
        const role = ['-c', config, `--role-name=${name}`]
        const made = await ask('radosgw-admin', 'role', 'create', ...role, `--assume-role-policy-doc=${trust}`)
        await ask('radosgw-admin', 'role-policy', 'put', ...role, '--policy-name=all', `--policy-doc=${rights}`)
        return JSON.parse(made).Arn as string
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
