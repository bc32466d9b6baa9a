/**
 * Work on single pixels for the frame painter, in WebAssembly with SIMD: AssemblyScript, compiled by `npm run build`.
 * Everything is an address in the module's memory; planes are bytes, row after row, `stride` bytes apart. Weights count in
 * 128ths, so that they and their products fit into 16 bits.
 */

/** How far one call may read or write beyond the end of a row; every buffer is longer by so much. */
export const SLACK: i32 = 64
/** Bytes of a table for eight columns. */
const TABLE_STRIDE: usize = 64
/** The widest row that can be scaled to. */
const MAX_COLUMNS: usize = 4096

const ROWS = memory.data(2 * 4096 + 128)

export function allocate(bytes: i32): usize {
  return heap.alloc(bytes + SLACK)
}

export function release(address: usize): void {
  heap.free(address)
}

export function equal(one: usize, other: usize, bytes: i32): bool {
  const whole = bytes & ~15
  for (let at = 0; at < whole; at += 16)
    if (v128.any_true(v128.xor(v128.load(one + at), v128.load(other + at)))) return false
  for (let at = whole; at < bytes; at++) if (load<u8>(one + at) !== load<u8>(other + at)) return false
  return true
}

export function bytesOfTable(columns: i32): i32 {
  return ((columns + 7) >> 3) * <i32>TABLE_STRIDE
}

/**
 * Fills the table that scales the `span` pixels (fewer than 1.75 for each) from `from` to `columns` pixels, in rows of
 * `width`. For each eight of them it holds where to read sixteen bytes, which of these are its left and right
 * neighbors, and the weight of the right one.
 */
export function makeTable(table: usize, from: f64, span: f64, columns: i32, width: i32): void {
  const ratio = span / <f64>columns
  for (let column = 0; column < columns; column += 8) {
    const begin = max(0, min(<i32>Math.floor(from + (<f64>column + 0.5) * ratio - 0.5), width - 16))
    store<u32>(table, begin)
    for (let index = 0; index < 8; index++) {
      const place = from + (<f64>(column + index) + 0.5) * ratio - 0.5
      const left = <i32>Math.floor(place)
      const weight = <i32>Math.round((place - <f64>left) * 128)
      store<u8>(table + 16 + index, <u8>nearby(left, begin, width))
      store<u8>(table + 24 + index, 255)
      store<u8>(table + 32 + index, <u8>nearby(left + 1, begin, width))
      store<u8>(table + 40 + index, 255)
      store<i16>(table + 48 + (index << 1), <i16>weight)
    }
    table += TABLE_STRIDE
  }
}

/** Outside of the row its first or last pixel repeats. */
function nearby(column: i32, begin: i32, width: i32): i32 {
  return max(0, min(min(max(column, 0), width - 1) - begin, 15))
}

/** Scales the `span` rows from `from` of a plane with `height` rows to a rectangle of `columns` by `rows`, bilinear. */
export function scale(
  source: usize,
  sourceStride: i32,
  height: i32,
  from: f64,
  span: f64,
  table: usize,
  target: usize,
  targetStride: i32,
  columns: i32,
  rows: i32,
): void {
  const ratio = span / <f64>rows
  let upper = ROWS
  let lower = ROWS + MAX_COLUMNS + 64
  let upperRow = -1
  let lowerRow = -1
  for (let row = 0; row < rows; row++) {
    const place = from + (<f64>row + 0.5) * ratio - 0.5
    const above = <i32>Math.floor(place)
    const weight = <i32>Math.round((place - <f64>above) * 128)
    const first = max(0, min(above, height - 1))
    const second = max(0, min(above + 1, height - 1))
    if (first !== upperRow) {
      if (first === lowerRow) {
        const spare = upper
        upper = lower
        lower = spare
        lowerRow = -1
      } else widen(source + first * sourceStride, table, upper, columns)
      upperRow = first
    }
    if (second !== lowerRow) {
      widen(source + second * sourceStride, table, lower, columns)
      lowerRow = second
    }
    mix(upper, lower, weight, target + row * targetStride, columns)
  }
}

/** Scales one row to its new width. Writes groups of eight. */
function widen(source: usize, table: usize, target: usize, columns: i32): void {
  const half = i16x8.splat(64)
  for (let column = 0; column < columns; column += 8) {
    const pixels = v128.load(source + load<u32>(table))
    const left = i16x8.extend_low_i8x16_u(i8x16.swizzle(pixels, v128.load(table + 16)))
    const right = i16x8.extend_low_i8x16_u(i8x16.swizzle(pixels, v128.load(table + 32)))
    const step = i16x8.mul(i16x8.sub(right, left), v128.load(table + 48))
    const mixed = i16x8.add(left, i16x8.shr_s(i16x8.add(step, half), 7))
    v128.store64_lane(target + column, i8x16.narrow_i16x8_u(mixed, mixed), 0)
    table += TABLE_STRIDE
  }
}

/** Two rows into one; writes not a byte more than `columns`. */
function mix(upper: usize, lower: usize, weight: i32, target: usize, columns: i32): void {
  const half = i16x8.splat(64)
  const weights = i16x8.splat(<i16>weight)
  let column = 0
  for (; column + 16 <= columns; column += 16) {
    const a = v128.load(upper + column)
    const b = v128.load(lower + column)
    const low = blendEight(i16x8.extend_low_i8x16_u(a), i16x8.extend_low_i8x16_u(b), weights, half)
    const high = blendEight(i16x8.extend_high_i8x16_u(a), i16x8.extend_high_i8x16_u(b), weights, half)
    v128.store(target + column, i8x16.narrow_i16x8_u(low, high))
  }
  for (; column < columns; column++) {
    const a = <i32>load<u8>(upper + column)
    const b = <i32>load<u8>(lower + column)
    store<u8>(target + column, <u8>(a + (((b - a) * weight + 64) >> 7)))
  }
}

function blendEight(a: v128, b: v128, weights: v128, half: v128): v128 {
  return i16x8.add(a, i16x8.shr_s(i16x8.add(i16x8.mul(i16x8.sub(b, a), weights), half), 7))
}

/** Half as wide and high, each pixel the mean of four; `width` and `height` are those of the source. */
export function halve(source: usize, stride: i32, width: i32, height: i32, target: usize): void {
  const columns = width >> 1
  const rows = height >> 1
  for (let row = 0; row < rows; row++) {
    const upper = source + ((row * stride) << 1)
    const lower = upper + stride
    const to = target + row * columns
    let column = 0
    for (; column + 8 <= columns; column += 8) {
      const a = i16x8.extadd_pairwise_i8x16_u(v128.load(upper + (column << 1)))
      const b = i16x8.extadd_pairwise_i8x16_u(v128.load(lower + (column << 1)))
      const sum = i16x8.shr_u(i16x8.add(i16x8.add(a, b), i16x8.splat(2)), 2)
      v128.store64_lane(to + column, i8x16.narrow_i16x8_u(sum, sum), 0)
    }
    for (; column < columns; column++) {
      const at = column << 1
      const sum = <i32>load<u8>(upper + at) + load<u8>(upper + at + 1) + load<u8>(lower + at) + load<u8>(lower + at + 1)
      store<u8>(to + column, <u8>((sum + 2) >> 2))
    }
  }
}

/** Blends `over` into a rectangle by `alpha` (0 to 128); all three have the same stride. */
export function blend(over: usize, alpha: usize, target: usize, stride: i32, columns: i32, rows: i32): void {
  const half = i16x8.splat(64)
  for (let row = 0; row < rows; row++) {
    const at = row * stride
    let column = 0
    for (; column + 8 <= columns; column += 8) {
      const place = at + column
      const weights = v128.load64_zero(alpha + place)
      if (!v128.any_true(weights)) continue
      const below = i16x8.extend_low_i8x16_u(v128.load64_zero(target + place))
      const above = i16x8.extend_low_i8x16_u(v128.load64_zero(over + place))
      const mixed = blendEight(below, above, i16x8.extend_low_i8x16_u(weights), half)
      v128.store64_lane(target + place, i8x16.narrow_i16x8_u(mixed, mixed), 0)
    }
    for (; column < columns; column++) {
      const place = at + column
      const below = <i32>load<u8>(target + place)
      const above = <i32>load<u8>(over + place)
      store<u8>(target + place, <u8>(below + (((above - below) * <i32>load<u8>(alpha + place) + 64) >> 7)))
    }
  }
}

export function copy(
  source: usize,
  sourceStride: i32,
  target: usize,
  targetStride: i32,
  columns: i32,
  rows: i32,
): void {
  for (let row = 0; row < rows; row++) memory.copy(target + row * targetStride, source + row * sourceStride, columns)
}

/** Turns a plane clockwise, `quarters` times a quarter; the result is packed. */
export function turn(source: usize, width: i32, height: i32, quarters: i32, target: usize): void {
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) {
      const pixel = load<u8>(source + row * width + column)
      let at = (height - 1 - row) * width + (width - 1 - column)
      if (quarters === 1) at = column * height + (height - 1 - row)
      if (quarters === 3) at = (width - 1 - column) * height + row
      store<u8>(target + at, pixel)
    }
}

/**
 * Converts RGBA (not multiplied by its alpha) to Y, U and V in the limited range of BT.601, and, where `alphaY` is not
 * 0, to the alpha (0 to 128) of both sizes of plane. `columns` and `rows` are even; a pixel of color is the mean of
 * four, weighted by their alpha. The planes' strides are those of Y and half of it.
 */
export function fromRgba(
  rgba: usize,
  columns: i32,
  rows: i32,
  y: usize,
  u: usize,
  v: usize,
  stride: i32,
  alphaY: usize,
  alphaC: usize,
): void {
  for (let row = 0; row < rows; row += 2) {
    const colorRow = (row >> 1) * (stride >> 1)
    for (let column = 0; column < columns; column += 2) {
      let red = 0
      let green = 0
      let blue = 0
      let weight = 0
      for (let corner = 0; corner < 4; corner++) {
        const down = row + (corner >> 1)
        const right = column + (corner & 1)
        const pixel = load<u32>(rgba + ((down * columns + right) << 2))
        const r = pixel & 255
        const g = (pixel >> 8) & 255
        const b = (pixel >> 16) & 255
        const a = pixel >> 24
        store<u8>(y + down * stride + right, <u8>(16 + ((66 * r + 129 * g + 25 * b + 128) >> 8)))
        if (alphaY !== 0) store<u8>(alphaY + down * stride + right, <u8>((a * 128 + 127) / 255))
        red += r * a
        green += g * a
        blue += b * a
        weight += a
      }
      const at = colorRow + (column >> 1)
      if (weight !== 0) {
        red /= weight
        green /= weight
        blue /= weight
      }
      store<u8>(u + at, <u8>(128 + ((112 * <i32>blue - 38 * <i32>red - 74 * <i32>green + 128) >> 8)))
      store<u8>(v + at, <u8>(128 + ((112 * <i32>red - 94 * <i32>green - 18 * <i32>blue + 128) >> 8)))
      if (alphaC !== 0) store<u8>(alphaC + at, <u8>((weight * 128 + 510) / 1020))
    }
  }
}
