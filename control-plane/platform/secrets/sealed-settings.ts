/** Secrets of the installation itself, made on the first start. */
import { randomBytes } from 'node:crypto'
import type { Database } from '../../store/database.ts'
import { keepSetting, readSetting, writeSetting } from '../../store/settings.ts'
import type { KeyRing } from './seals.ts'

const LINK_SECRET = 'file_link_secret'
const NAMES = [LINK_SECRET]

const placeOf = (name: string) => ({ table: 'settings', column: 'value', row: name })

/** 32 bytes that sign the links of folder storage; the same ones for every process of the installation. */
export async function readLinkSecret(db: Database, seals: KeyRing): Promise<Buffer> {
  const fresh = seals.seal(randomBytes(32).toString('base64'), placeOf(LINK_SECRET)).toString('base64')
  const stored = await keepSetting(db, LINK_SECRET, fresh)
  return Buffer.from(seals.open(Buffer.from(String(stored), 'base64'), placeOf(LINK_SECRET)), 'base64')
}

/** After a rotation: sealed with the first key. */
export async function resealSettings(db: Database, seals: KeyRing): Promise<void> {
  for (const name of NAMES) {
    const stored = await readSetting(db, name)
    if (typeof stored !== 'string') continue
    const text = seals.open(Buffer.from(stored, 'base64'), placeOf(name))
    await writeSetting(db, name, seals.seal(text, placeOf(name)).toString('base64'))
  }
}
