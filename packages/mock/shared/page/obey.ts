/** Handles the server's messages that all platforms share. */
import type { Connection } from './connection.ts'
import type { Devices } from './devices.ts'
import { freeze } from './page-habits.ts'
import type { SharedToPage } from './protocol.ts'

/** Returns false for a platform's own messages. */
export function obey(message: { do: string }, page: { connection: Connection; devices: Devices }): boolean {
  const { connection, devices } = page
  const shared = message as SharedToPage
  if (shared.do === 'acquire') void devices.acquire(shared)
  else if (shared.do === 'devices') {
    if (shared.microphone !== undefined) void devices.set('microphone', shared.microphone)
    if (shared.camera !== undefined) void devices.set('camera', shared.camera)
  } else if (shared.do === 'freeze') freeze(shared.ms)
  else if (shared.do === 'navigate') location.assign(shared.url)
  else return connection.obey(shared)
  return true
}
