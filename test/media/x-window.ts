import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'

export interface Rectangle {
  x: number
  y: number
  width: number
  height: number
}

/** A window without a toolkit: it paints filled rectangles at once, so that a test knows the instant. */
export interface XWindow {
  fill(color: number, rectangles: readonly Rectangle[]): void
  close(): void
}

const CREATE_WINDOW = 1
const MAP_WINDOW = 8
const CREATE_GC = 55
const CHANGE_GC = 56
const POLY_FILL_RECTANGLE = 70

/** Opens a borderless window over the whole of a local display such as `:99`; speaks the X11 core protocol itself. */
export async function openXWindow(
  display: string,
  width: number,
  height: number,
  authority?: string,
): Promise<XWindow> {
  const socket = connect(`\0/tmp/.X11-unix/X${display.replace(/^:/, '').replace(/\..*$/, '')}`)
  await once(socket, 'connect')
  const { rootWindow, firstId } = await shakeHands(socket, authority)
  socket.on('data', (data) => {
    // Replies are never asked for; an error packet starts with 0 and carries its code in the second byte.
    if (data[0] === 0) socket.destroy(new Error(`The X server refused a request with error ${data[1]}`))
  })

  socket.on('error', () => {
    // The server went away, as tests make it do; nothing is painted any more.
  })

  const window = firstId
  const pen = firstId + 1
  const create = request(CREATE_WINDOW, 0, 36)
  create.writeUInt32LE(window, 4)
  create.writeUInt32LE(rootWindow, 8)
  create.writeUInt16LE(width, 16)
  create.writeUInt16LE(height, 18)
  create.writeUInt16LE(1, 22) // InputOutput
  create.writeUInt32LE(0x200, 28) // override-redirect: no window manager is asked
  create.writeUInt32LE(1, 32)
  const map = request(MAP_WINDOW, 0, 8)
  map.writeUInt32LE(window, 4)
  const createPen = request(CREATE_GC, 0, 16)
  createPen.writeUInt32LE(pen, 4)
  createPen.writeUInt32LE(window, 8)
  socket.write(Buffer.concat([create, map, createPen]))

  return {
    fill(color, rectangles) {
      const change = request(CHANGE_GC, 0, 16)
      change.writeUInt32LE(pen, 4)
      change.writeUInt32LE(0x4, 8) // foreground
      change.writeUInt32LE(color, 12)
      const paint = request(POLY_FILL_RECTANGLE, 0, 12 + 8 * rectangles.length)
      paint.writeUInt32LE(window, 4)
      paint.writeUInt32LE(pen, 8)
      rectangles.forEach((rectangle, index) => {
        const offset = 12 + 8 * index
        paint.writeInt16LE(rectangle.x, offset)
        paint.writeInt16LE(rectangle.y, offset + 2)
        paint.writeUInt16LE(rectangle.width, offset + 4)
        paint.writeUInt16LE(rectangle.height, offset + 6)
      })
      socket.write(Buffer.concat([change, paint]))
    },
    close() {
      socket.destroy()
    },
  }
}

function request(opcode: number, data: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUInt8(opcode, 0)
  buffer.writeUInt8(data, 1)
  buffer.writeUInt16LE(bytes / 4, 2)
  return buffer
}

/**
 * Connection set-up, least significant byte first, with the cookie at the end of an Xauthority file if there is one.
 * Resolves with what is needed to make a window.
 */
async function shakeHands(socket: Socket, authority?: string): Promise<{ rootWindow: number; firstId: number }> {
  const method = Buffer.from(authority === undefined ? '' : 'MIT-MAGIC-COOKIE-1')
  const cookie = authority === undefined ? Buffer.alloc(0) : readFileSync(authority).subarray(-16)
  const hello = Buffer.alloc(12)
  hello.write('l', 0, 'latin1')
  hello.writeUInt16LE(11, 2)
  hello.writeUInt16LE(method.length, 6)
  hello.writeUInt16LE(cookie.length, 8)
  socket.write(Buffer.concat([hello, method, Buffer.alloc(-method.length & 3), cookie]))
  let answer = Buffer.alloc(0)
  while (answer.length < 8 || answer.length < 8 + 4 * answer.readUInt16LE(6)) {
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    answer = Buffer.concat([answer, chunk])
  }
  if (answer[0] !== 1) throw new Error(`The X server refused the connection: ${answer.subarray(8).toString('latin1')}`)
  const vendorBytes = answer.readUInt16LE(24)
  const formats = answer.readUInt8(29)
  const screens = 40 + Math.ceil(vendorBytes / 4) * 4 + 8 * formats
  return { rootWindow: answer.readUInt32LE(screens), firstId: answer.readUInt32LE(12) }
}
