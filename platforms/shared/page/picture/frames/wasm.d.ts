/** Put into the bundle by `scripts/build.ts`. */
declare module '*.wasm' {
  const bytes: Uint8Array<ArrayBuffer>
  export default bytes
}
