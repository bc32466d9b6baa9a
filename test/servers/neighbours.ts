/**
 * Programs of Debian that operators put beside the service. Each runs on a free port of the loopback interface until the test
 * or the file ends.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { atEnd, temporaryFolder } from '../fakes/at-end.ts'
import { freePort } from './free-port.ts'

const START_MS = 60_000

/** A folder, and the options with which the program starts there: PgBouncer and PostgreSQL do not run as root. */
function placeOf(program: string) {
  if (!existsSync(program)) throw new Error(`${program} is missing; run this first: sh scripts/setup.sh --long`)
  const cwd = temporaryFolder('standin-neighbour-')
  chmodSync(cwd, 0o755)
  if (process.getuid?.() !== 0) return { cwd }
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+)/m.exec(readFileSync('/etc/passwd', 'utf8'))!.map(Number)
  chownSync(cwd, uid!, gid!)
  return { cwd, uid: uid!, gid: gid! }
}

/** Resolves when the port takes connections. */
async function run(port: number, program: string, args: readonly string[], place: object): Promise<void> {
  const child = spawn(program, args, { ...place, stdio: ['ignore', 'inherit', 'inherit'] })
  atEnd(() => child.exitCode === null && child.kill('SIGINT') && once(child, 'exit'))
  const patience = AbortSignal.timeout(START_MS)
  while (!(await accepts(port))) {
    if (child.exitCode !== null || patience.aborted) throw new Error(`${program} did not start`)
    await sleep(50)
  }
}

function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  }).finally(() => socket.destroy())
}

/** `server`: what stands in its block besides the port. */
export async function startNginx(server: string, port: number): Promise<void> {
  const program = '/usr/sbin/nginx'
  const { cwd } = placeOf(program)
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${cwd}/${name};`,
  )
  const text = `daemon off; pid ${cwd}/pid; events {}
    http { access_log off; ${folders.join(' ')} server { listen 127.0.0.1:${port}; ${server} } }`
  writeFileSync(join(cwd, 'conf'), text)
  await run(port, program, ['-e', 'stderr', '-c', join(cwd, 'conf')], {})
}

/** A server whose user `app` owns the database `app`. Resolves with the address of that by socket and by port. */
export async function startPostgres() {
  const [programs = '/usr/lib/postgresql'] = globSync('/usr/lib/postgresql/*/bin')
  const place = placeOf(join(programs, 'postgres'))
  const { cwd } = place
  const call = (program: string, ...args: string[]) => promisify(execFile)(join(programs, program), args, place)
  const port = await freePort()
  const data = ['-D', join(cwd, 'data')]
  await call('initdb', ...data, '-U', 'admin', '-A', 'trust', '-N', '-E', 'UTF8', '--locale', 'C')
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${cwd}`
  await call('pg_ctl', 'start', '-w', ...data, '-l', join(cwd, 'log'), '-o', settings)
  atEnd(() => call('pg_ctl', 'stop', ...data, '-m', 'fast'))
  const query = (...texts: string[]) =>
    call('psql', '-h', cwd, '-p', String(port), '-U', 'admin', ...texts.flatMap((text) => ['-c', text]), 'postgres')
  await query('create role app login createrole', 'create database app owner app')
  const socketUrl = `postgresql://app@/app?host=${cwd}&port=${port}`
  return { port, socketUrl, url: `postgresql://app@127.0.0.1:${port}/app`, query }
}

/** In front of the database `app` of the server on that port. Resolves with its address. */
export async function startPgbouncer(server: number, settings: Readonly<Record<string, string>>): Promise<string> {
  const program = '/usr/sbin/pgbouncer'
  const place = placeOf(program)
  const port = await freePort()
  const all = { listen_addr: '127.0.0.1', listen_port: port, auth_type: 'any', unix_socket_dir: '', ...settings }
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`)
  const databases = ['[databases]', `app = host=127.0.0.1 port=${server} user=app`]
  writeFileSync(join(place.cwd, 'ini'), [...databases, '[pgbouncer]', ...lines, ''].join('\n'))
  await run(port, program, ['--quiet', join(place.cwd, 'ini')], place)
  return `postgresql://app@127.0.0.1:${port}/app`
}
