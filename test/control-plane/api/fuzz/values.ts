/**
 * Draws values for the schemas of an OpenAPI document: most fit, some are nearly right, some are hostile. The same seed
 * draws the same values.
 */

/** Draws numbers from 0 to 1 (mulberry32, public domain). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export interface Schema {
  $ref?: string
  type?: string | string[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: Schema | boolean
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  format?: string
  examples?: unknown[]
  default?: unknown
}

/** Values that mean something in this run: ids that exist, links that are accepted. */
export type Known = (name: string) => readonly unknown[]

const TEXTS = [
  ...[
    '',
    ' ',
    '\u0000',
    '\u202Eevil',
    '\uD800',
    'e\u0301'.repeat(40),
    '👩‍👩‍👧‍👦',
    '%00',
    '../../etc/passwd',
    "'; drop table bots; --",
  ],
  ...['<img src=x onerror=1>', 'null', 'NaN', '-1', '1e309', '0x10', 'true', '__proto__', 'constructor'],
  ...[
    '9999-12-31T23:59:59Z',
    '2026-02-30T10:00:00Z',
    '2026-11-27',
    '0',
    'http://127.0.0.1/',
    'http://[::ffff:10.0.0.1]/',
    'file:///etc/passwd',
  ],
  ...['https://user:pw@example.com/', 'a'.repeat(3_000), '{"a":', '٣', 'ＡＢＣ', '\n\r\t', 'x,y:z', 'a:b,c:d,'],
] as const
const ODD: unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, [], {}, [[[[]]]], { a: { b: { c: {} } } }],
  ...[[null], ['a', 1, null], { toString: 1 }, { length: 5 }, Array.from({ length: 300 }, (_, index) => index)],
]

export class Values {
  readonly random: () => number
  readonly #components: Record<string, Schema>
  readonly #known: Known

  constructor(random: () => number, components: Record<string, Schema>, known: Known) {
    this.random = random
    this.#components = components
    this.#known = known
  }

  chance(share: number): boolean {
    return this.random() < share
  }

  upTo(count: number): number {
    return Math.floor(this.random() * count)
  }

  pick<T>(items: readonly T[]): T {
    return items[this.upTo(items.length)]!
  }

  odd(): unknown {
    return this.chance(0.5) ? this.pick(TEXTS) : this.pick(ODD)
  }

  /** `name`: the field or parameter that gets the value. */
  of(schema: Schema, name: string, depth = 0): unknown {
    if (this.chance(0.03)) return this.odd()
    const known = this.#known(name)
    if (known.length > 0 && this.chance(0.8)) return this.pick(known)
    if (schema.$ref !== undefined) return this.of(this.#components[schema.$ref.split('/').at(-1)!] ?? {}, name, depth)
    if (schema.const !== undefined) return schema.const
    if (schema.enum !== undefined) return this.pick(schema.enum)
    if (schema.examples !== undefined && this.chance(0.5)) return this.pick(schema.examples)
    const choices = schema.anyOf ?? schema.oneOf
    if (choices !== undefined) return this.of(this.pick(choices), name, depth)
    if (schema.allOf !== undefined)
      return Object.assign({}, ...schema.allOf.map((part) => this.of(part, name, depth) as object))
    switch (Array.isArray(schema.type) ? this.pick(schema.type) : schema.type) {
      case 'object':
        return this.#object(schema, depth)
      case 'array':
        return Array.from({ length: Math.max(schema.minItems ?? 0, this.upTo(4)) }, () =>
          this.of(schema.items ?? {}, name, depth + 1),
        )
      case 'integer':
        return Math.round(this.#number(schema))
      case 'number':
        return this.#number(schema)
      case 'boolean':
        return this.chance(0.5)
      case 'null':
        return null
      case 'string':
        return this.#text(schema, name)
      default:
        return this.odd()
    }
  }

  #object(schema: Schema, depth: number): Record<string, unknown> {
    const made: Record<string, unknown> = {}
    const required = new Set(schema.required)
    const optional = depth > 3 ? 0 : 0.25
    for (const [field, inner] of Object.entries(schema.properties ?? {}))
      if (required.has(field) ? !this.chance(0.02) : this.chance(optional))
        made[field] = this.of(inner, field, depth + 1)
    const others = schema.additionalProperties
    if (typeof others === 'object' && this.chance(0.5)) made[`field${this.upTo(9)}`] = this.of(others, '', depth + 1)
    if (this.chance(0.04)) made[this.pick(TEXTS) as string] = this.odd()
    return made
  }

  #number({ minimum = 0, maximum = 1_000 }: Schema): number {
    if (this.chance(0.1)) return this.pick([minimum, maximum, minimum - 1, maximum + 1])
    return minimum + this.random() * (Math.min(maximum, minimum + 1e6) - minimum)
  }

  #text({ format, minLength = 1, maxLength = 40 }: Schema, name: string): string {
    if (this.chance(0.1)) return this.pick(TEXTS)
    if (this.chance(0.03)) return 'x'.repeat(this.pick([minLength, maxLength, maxLength + 1]))
    if (format === 'uuid') return crypto.randomUUID()
    if (format === 'uri' || /ur[il]$/.test(name)) return `https://example.com/${this.upTo(1e6)}`
    if (format === 'email' || /email$/.test(name)) return `person${this.upTo(1e6)}@example.com`
    if (format === 'date-time' || /(?:_at|_gte|_lte|_after|_before|_time)$/.test(name))
      return new Date(Date.now() + (this.random() - 0.3) * 20 * 86_400_000).toISOString()
    if (format === 'date') return new Date(Date.now() - this.random() * 90 * 86_400_000).toISOString().slice(0, 10)
    return `text ${this.upTo(1e6)}`.padEnd(minLength, '.').slice(0, Math.max(maxLength, 1))
  }
}
