/** The pixel module of `pixels/index.ts`, which the build compiles to WebAssembly and puts into the bundle. */
import module from './pixels.wasm'

/** Addresses and lengths are numbers of bytes. */
export interface Pixels {
  memory: WebAssembly.Memory
  allocate(bytes: number): number
  release(address: number): void
  /** 1 or 0. */
  equal(one: number, other: number, bytes: number): number
  bytesOfTable(columns: number): number
  makeTable(table: number, from: number, span: number, columns: number, width: number): void
  scale(
    ...given: [
      source: number,
      sourceStride: number,
      height: number,
      from: number,
      span: number,
      table: number,
      target: number,
      targetStride: number,
      columns: number,
      rows: number,
    ]
  ): void
  halve(source: number, stride: number, width: number, height: number, target: number): void
  blend(over: number, alpha: number, target: number, stride: number, columns: number, rows: number): void
  copy(
    ...given: [
      source: number,
      sourceStride: number,
      target: number,
      targetStride: number,
      columns: number,
      rows: number,
    ]
  ): void
  turn(source: number, width: number, height: number, quarters: number, target: number): void
  fromRgba(
    ...given: [
      rgba: number,
      columns: number,
      rows: number,
      y: number,
      u: number,
      v: number,
      stride: number,
      alphaY: number,
      alphaC: number,
    ]
  ): void
}

/** Rejects if the page forbids WebAssembly. */
export async function loadPixels(): Promise<Pixels> {
  const { instance } = await WebAssembly.instantiate(module, {
    env: {
      abort() {
        throw new Error('The pixel module is out of memory')
      },
    },
  })
  return instance.exports as unknown as Pixels
}
