import { connect } from 'node:tls'
import { DEMO_LINK, startDemoMeeting } from '@standin/control-plane/main/wiring/demo.ts'
import { expect, test } from 'vitest'

const wait = { timeout: 20_000 }

test('a mock meeting for one bot answers at the link of the demo, in a separate process', async () => {
  let pid = 0
  const log = {
    info: (fields: object) => {
      pid = (fields as { pid: number }).pid
    },
    warn: () => {},
    error: () => {},
  }
  const mappings = await startDemoMeeting({ PATH: process.env.PATH, HOME: process.env.HOME }, log)
  try {
    const { host, pathname } = new URL(DEMO_LINK)
    const [, address] = mappings.map((mapping) => mapping.split('=')).find(([name]) => name === host)!
    expect(address).toMatch(/^127\.0\.0\.1:\d+$/)
    const page = await getOverTls(Number(address!.split(':')[1]), host, pathname)
    expect(page).toMatch(/^HTTP\/1\.1 200 /)
  } finally {
    process.kill(pid, 'SIGTERM')
  }
  await expect.poll(() => isAlive(pid), wait).toBe(false)
})

function getOverTls(port: number, host: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', servername: host, rejectUnauthorized: false }, () => {
      socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)
    })
    let text = ''
    socket.setEncoding('utf8').on('data', (piece) => {
      text += piece
    })
    socket.on('end', () => resolve(text))
    socket.on('error', reject)
  })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
