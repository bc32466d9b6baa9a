/** Seals every value again that another key than the first one sealed. It can be stopped and repeated at any time. */
import type { Database } from '../../store/database.ts'
import { replaceSealed, SEALED_COLUMNS, type SealedColumn, sealedValues } from '../../store/sealed-values.ts'
import { checkSealKeys, renewKeyCheck } from './key-check.ts'
import { resealSettings } from './sealed-settings.ts'
import type { KeyRing } from './seals.ts'

const BATCH = 200
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

export interface Rotation {
  resealed: number
  /** Values that could not be opened: `<table>.<column> of <row>`. They stay as they are. */
  failed: string[]
  /** How many values are left for each key id, the first key among them. */
  left: Record<string, number>
}

export async function rotateSeals(db: Database, seals: KeyRing): Promise<Rotation> {
  await checkSealKeys(db, seals)
  const rotation: Rotation = { resealed: 0, failed: [], left: {} }
  for (const column of SEALED_COLUMNS) {
    for await (const { row, sealed } of valuesOf(db, column)) await reseal(db, seals, column, row, sealed, rotation)
  }
  for (const column of SEALED_COLUMNS) {
    for await (const { sealed } of valuesOf(db, column)) {
      const id = seals.keyIdOf(sealed)
      rotation.left[id] = (rotation.left[id] ?? 0) + 1
    }
  }
  await resealSettings(db, seals)
  await renewKeyCheck(db, seals)
  return rotation
}

async function reseal(
  db: Database,
  seals: KeyRing,
  column: SealedColumn,
  row: string,
  sealed: Buffer,
  rotation: Rotation,
): Promise<void> {
  if (seals.keyIdOf(sealed) === seals.sealingKey) return
  const place = { ...column, row }
  let text: string
  try {
    text = seals.open(sealed, place)
  } catch {
    rotation.failed.push(`${column.table}.${column.column} of ${row}`)
    return
  }
  if (await replaceSealed(db, column, row, sealed, seals.seal(text, place))) rotation.resealed++
}

async function* valuesOf(db: Database, column: SealedColumn) {
  let after = BEFORE_ALL
  for (;;) {
    const values = await sealedValues(db, column, after, BATCH)
    yield* values
    const last = values.at(-1)
    if (last === undefined || values.length < BATCH) return
    after = last.row
  }
}
