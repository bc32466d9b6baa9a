import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { checkSealKeys } from '../../../../control-plane/platform/secrets/key-check.ts'
import { rotateSeals } from '../../../../control-plane/platform/secrets/rotate.ts'
import { readLinkSecret } from '../../../../control-plane/platform/secrets/sealed-settings.ts'
import { createSeals, newSealKey, parseSealKeys } from '../../../../control-plane/platform/secrets/seals.ts'
import { openWorld } from '../../world.ts'

const older = newSealKey('older')
const newer = newSealKey('newer')
const ring = (...keys: string[]) => createSeals(parseSealKeys(keys.join(',')))
const place = { table: 'endpoints', column: 'secret', row: '1' }

describe('a sealed value', () => {
  test('opens at its place', () => {
    const seals = ring(older)
    const sealed = seals.seal('a secret with ä and 🔑', place)
    expect(seals.open(sealed, place)).toBe('a secret with ä and 🔑')
    expect(sealed.includes('a secret')).toBe(false)
  })

  test('is another one each time', () => {
    const seals = ring(older)
    expect(seals.seal('same', place)).not.toEqual(seals.seal('same', place))
  })

  test.each([
    { ...place, table: 'bots' },
    { ...place, column: 'previous_secret' },
    { ...place, row: '2' },
  ])('does not open at $table.$column of $row', (other) => {
    const seals = ring(older)
    expect(() => seals.open(seals.seal('secret', place), other)).toThrow(/moved/)
  })

  test('does not open after any byte was changed or cut off', () => {
    const seals = ring(older)
    const sealed = seals.seal('secret', place)
    for (let index = 0; index < sealed.length; index++) {
      const changed = Buffer.from(sealed)
      changed[index]! ^= 1
      expect(() => seals.open(changed, place)).toThrow()
      expect(() => seals.open(sealed.subarray(0, index), place)).toThrow()
    }
  })

  test('opens with any key of the ring, and the first key seals', () => {
    const both = ring(newer, older)
    expect(both.open(ring(older).seal('old secret', place), place)).toBe('old secret')
    expect(both.keyIdOf(both.seal('x', place))).toBe('newer')
    expect(() => ring(newer).open(ring(older).seal('x', place), place)).toThrow('"older"')
  })
})

test.each([
  ['', 'no secret key'],
  ['abc', 'key 1 is not'],
  [`${older},one:AAAA`, '"one" has 3 bytes'],
  [`${older},${older}`, 'same id'],
])('keys %s are refused', (text, reason) => {
  expect(() => parseSealKeys(text)).toThrow(reason)
})

test('a faulty key is not repeated in the error', () => {
  const key = older.split(':')[1]!
  expect(() => parseSealKeys(`older:${key}${key}`)).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining(key) }),
  )
})

describe('in the database', async () => {
  const { database, insert, teamId } = await openWorld()

  test('a start with a wrong key is refused, one with the right key is not', async () => {
    await checkSealKeys(database, ring(older))
    await checkSealKeys(database, ring(newer, older))
    await expect(checkSealKeys(database, ring(newer))).rejects.toThrow('STANDIN_SECRET_KEYS')
    await expect(checkSealKeys(database, ring(newSealKey('older')))).rejects.toThrow('STANDIN_SECRET_KEYS')
  })

  test('a rotation seals everything with the first key, so that the older key can go', async () => {
    const team_id = await teamId()
    const rows = Array.from({ length: 230 }, (_, index) => ({ id: randomUUID(), text: `whsec ${index}` }))
    const sealed = (row: string, text: string) => ring(older).seal(text, { ...place, row })
    const endpoint = { team_id, kind: 'team', url: 'https://a.test' }
    await insert('endpoints', ...rows.map(({ id, text }) => ({ ...endpoint, id, secret: sealed(id, text) })))
    const moved = randomUUID()
    await insert('endpoints', { ...endpoint, id: moved, secret: sealed(rows[0]!.id, 'copied') })

    const linkSecret = await readLinkSecret(database, ring(older))
    expect(linkSecret.length).toBe(32)
    const rotation = await rotateSeals(database, ring(newer, older))
    expect(rotation).toEqual({
      resealed: 230,
      failed: [`endpoints.secret of ${moved}`],
      left: { newer: 230, older: 1 },
    })
    const only = ring(newer)
    await checkSealKeys(database, only)
    expect(await readLinkSecret(database, only)).toEqual(linkSecret)
    const stored = await database.selectFrom('endpoints').select(['id', 'secret']).where('id', '<>', moved).execute()
    const texts = new Map(stored.map(({ id, secret }) => [id, only.open(secret!, { ...place, row: id })]))
    expect(texts).toEqual(new Map(rows.map(({ id, text }) => [id, text])))
  })
})
