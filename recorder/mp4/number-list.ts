type Numbers = Uint32Array | Float64Array

/** Numbers in a typed array that doubles as it fills: four bytes each for 32-bit ones, eight for places in large files. */
export class NumberList {
  #numbers: Numbers
  readonly #allocate: (length: number) => Numbers
  #length = 0

  constructor(kind: 'u32' | 'f64') {
    this.#allocate = kind === 'u32' ? (length) => new Uint32Array(length) : (length) => new Float64Array(length)
    this.#numbers = this.#allocate(64)
  }

  get length(): number {
    return this.#length
  }

  push(value: number): void {
    if (this.#length === this.#numbers.length) {
      const larger = this.#allocate(this.#length * 2)
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    this.#numbers[this.#length++] = value
  }

  at(index: number): number {
    if (index < 0 || index >= this.#length) throw new RangeError(`there is no number ${index} of ${this.#length}`)
    return this.#numbers[index]!
  }

  setLast(value: number): void {
    this.#numbers[this.#length - 1] = value
  }

  /** How many of the first numbers are at most `limit`; the numbers must never fall. */
  countUpTo(limit: number): number {
    let low = 0
    let high = this.#length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#numbers[middle]! <= limit) low = middle + 1
      else high = middle
    }
    return low
  }
}
