import { createSocket } from 'node:dgram'
import { type LookupAddress, lookup } from 'node:dns'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Resolve } from '@standin/wire/network/public-addresses.ts'
import { expect, onTestFinished, test } from 'vitest'
import { createResolve } from '../../../../control-plane/platform/outgoing/resolve.ts'
import { temporaryFolder } from '../../../fakes/at-end.ts'

const [A, AAAA] = [1, 28]

/** A name server. `answer`: the bytes of the address, `[]` for a name without one, null for silence. */
async function nameServer(answer: (name: string, type: number) => number[] | null) {
  const asked: string[] = []
  const socket = createSocket('udp4').on('message', (query, { port, address }) => {
    const end = query.indexOf(0, 12)
    const labels: string[] = []
    for (let at = 12; at < end; at += query[at]! + 1) labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!))
    const name = labels.join('.')
    asked.push(name)
    const bytes = answer(name, query.readUInt16BE(end + 1))
    if (bytes === null) return
    const header = Buffer.from([query[0]!, query[1]!, 0x81, 0x80, 0, 1, 0, bytes.length > 0 ? 1 : 0, 0, 0, 0, 0])
    const question = query.subarray(12, end + 5)
    const record = [0xc0, 12, query[end + 1]!, query[end + 2]!, 0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes]
    const parts = [header, question, ...(bytes.length > 0 ? [Buffer.from(record)] : [])]
    socket.send(Buffer.concat(parts), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  onTestFinished(() => void socket.close())
  return { servers: [`127.0.0.1:${socket.address().port}`], asked }
}

const ask = (resolve: Resolve, name: string, family: 0 | 4 | 6 = 0) =>
  new Promise<LookupAddress[]>((done, fail) =>
    resolve(name, { all: true, family }, (error, addresses) => (error ? fail(error) : done(addresses))),
  )

const IPV6 = [0x20, 1, ...Array.from({ length: 13 }, () => 0), 7]

test('names that never answer end in time, and keep neither other names nor the threads of the system waiting', async () => {
  const { servers, asked } = await nameServer((name, type) => {
    if (name.startsWith('never')) return null
    return type === A ? [93, 184, 215, 14] : []
  })
  const resolve = createResolve({ servers })
  const order: string[] = []
  const silent = Array.from({ length: 40 }, async (_, n) => {
    await expect(ask(resolve, `never${n}.test`)).rejects.toMatchObject({ code: 'EAI_AGAIN' })
    order.push('silent')
  })
  await expect.poll(() => new Set(asked).size).toBe(40)
  expect(await ask(resolve, 'hook.test')).toEqual([{ address: '93.184.215.14', family: 4 }])
  await promisify(lookup)('localhost')
  order.push('others')
  await Promise.all(silent)
  expect(order[0]).toBe('others')
})

test('both families are asked for, and one of them is enough', async () => {
  const { servers } = await nameServer((name, type) => {
    if (name === 'both.test') return type === AAAA ? IPV6 : [192, 0, 2, 1]
    if (name === 'six.test') return type === AAAA ? IPV6 : []
    return []
  })
  const resolve = createResolve({ servers })
  const six = { address: '2001::7', family: 6 }
  expect(await ask(resolve, 'both.test')).toEqual([{ address: '192.0.2.1', family: 4 }, six])
  expect(await ask(resolve, 'both.test', 6)).toEqual([six])
  expect(await ask(resolve, 'both.test', 4)).toEqual([{ address: '192.0.2.1', family: 4 }])
  expect(await ask(resolve, 'six.test')).toEqual([six])
  await expect(ask(resolve, 'none.test')).rejects.toMatchObject({ code: 'ENOTFOUND' })
})

test('names of the hosts file and names without a dot are left to the system', async () => {
  const folder = temporaryFolder()
  const hostsFile = join(folder, 'hosts')
  writeFileSync(hostsFile, '127.0.0.1 localhost\n192.0.2.7\tOther.test hook.test # gone.test\n')
  const { servers, asked } = await nameServer(() => [192, 0, 2, 1])
  const left: string[] = []
  const system: Resolve = (name, _options, callback) => {
    left.push(name)
    callback(null, [{ address: '192.0.2.7', family: 4 }])
  }
  const resolve = createResolve({ servers, hostsFile, system })
  for (const name of ['hook.test', 'other.test.', 'localhost', 'gone.test', '192.0.2.test']) await ask(resolve, name, 4)
  expect(left).toEqual(['hook.test', 'other.test.', 'localhost'])
  expect(asked).toEqual(['gone.test', '192.0.2.test'])
})
