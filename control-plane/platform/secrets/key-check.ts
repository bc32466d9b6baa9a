/** Stops a start with the wrong keys at once, instead of in the middle of the first delivery. */
import type { Database } from '../../store/database.ts'
import { keepSetting, readSetting, writeSetting } from '../../store/settings.ts'
import type { KeyRing } from './seals.ts'

const SETTING = 'secret_key_check'
const PLACE = { table: 'settings', column: 'value', row: SETTING }
const TEXT = 'standin'

/** Rejects if these keys do not open what the database was made with. The first start stores the check value. */
export async function checkSealKeys(db: Database, seals: KeyRing): Promise<void> {
  const stored = await keepSetting(db, SETTING, seals.seal(TEXT, PLACE).toString('base64'))
  openCheck(stored, seals)
}

/** The same, without a write: other processes may have rotated the keys since the start. */
export async function probeSealKeys(db: Database, seals: KeyRing): Promise<void> {
  openCheck(await readSetting(db, SETTING), seals)
}

/** Throws if these keys do not open the stored check value. */
function openCheck(stored: unknown, seals: KeyRing): void {
  if (typeof stored !== 'string') throw new Error(`The setting ${SETTING} is damaged`)
  try {
    seals.open(Buffer.from(stored, 'base64'), PLACE)
  } catch (cause) {
    throw new Error('STANDIN_SECRET_KEYS does not hold the key that this database was made with', { cause })
  }
}

/** After a rotation: the check value is sealed with the first key too. */
export async function renewKeyCheck(db: Database, seals: KeyRing): Promise<void> {
  await writeSetting(db, SETTING, seals.seal(TEXT, PLACE).toString('base64'))
}
