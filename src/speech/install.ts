/**
 * Fetches the built-in model: Moonshine base for English, by its makers and under the MIT licence, and silero's detector of
 * voices. npm's own client fetches the packages, so that its registry, proxy and mirror count; nothing of them is run
 * before its hash is known.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { extract } from 'tar'
import { builtInModel, sha256Of } from './model.ts'

interface Wanted {
  spec: string
  /** Of the package's archive, as npm's lock files write it. */
  integrity: string
  /** From the package to the name in our folder, with the SHA-256. */
  files: readonly { from: string; to: string; sha256: string }[]
}

const TOKENIZER = 'llama-tokenizer.js'
const PACKAGES: readonly Wanted[] = [
  {
    spec: '@usefulsensors/moonshine-js@0.1.10',
    integrity: 'sha512-fF/tZZR+iFx+GV3cIIiYnwgYTZfpfawX/3bAqf77Q9YtMZuP4CUShy23CPHULnh+7KpV8fbPj4bxANlTHE0gZA==',
    files: [
      {
        from: 'dist/model/base/quantized/encoder_model.onnx',
        to: 'encoder_model.onnx',
        sha256: '1dd9ab0a7f987113d30affcba5a068d11c8f90fa0223caa3e491ade431ad9751',
      },
      {
        from: 'dist/model/base/quantized/decoder_model_merged.onnx',
        to: 'decoder_model_merged.onnx',
        sha256: 'cc9f3cd6698a369c6008b41aa60aa3fb3322e7f03c9bdf19d8e6b7200afca4f3',
      },
    ],
  },
  {
    spec: '@ricky0123/vad-web@0.0.31',
    integrity: 'sha512-ePVq8TvB21sdHSxVMZOEIf9JVa7MAYpaIaNXeGgsPOiMCN8xbPCdF2LS5aYj7VRR3ZxzutedgV9ZplV65IA1Fg==',
    files: [
      {
        from: 'dist/silero_vad_v6.onnx',
        to: 'silero_vad_v6.onnx',
        sha256: '1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3',
      },
    ],
  },
  {
    // Moonshine has the vocabulary of Llama.
    spec: 'llama-tokenizer-js@1.2.2',
    integrity: 'sha512-Wmth393dc3odWU3IzARJ3r2oIfWgw9GdJ5Gm+hGhfECNO18UHLRqEFSf511jn4E9KcQGzuuKw4Wl08pHAemLAw==',
    files: [
      { from: TOKENIZER, to: TOKENIZER, sha256: '34a7b9f7579d40486444590c37cba6564ef40c3dd98ecdfc2f7c886ae72c898d' },
    ],
  },
]
/** The outputs of the model; those behind the vocabulary are marks. */
const TOKENS = 32_768
const NPM_MS = 10 * 60_000

/** Whether the built-in model is there with every byte. */
export async function isInstalled(): Promise<boolean> {
  const files = PACKAGES.flatMap((wanted) => wanted.files).filter(({ to }) => to !== TOKENIZER)
  const sums = await Promise.all(files.map(({ to }) => sha256Of(join(builtInModel, to))))
  const tokens = await sha256Of(join(builtInModel, 'tokens.txt'))
  return tokens !== null && files.every(({ sha256 }, index) => sums[index] === sha256)
}

/** Rejects with a sentence for the operator. */
export async function installSpeech(): Promise<void> {
  await mkdir(dirname(builtInModel), { recursive: true })
  // Beside its place, so that the last step is one rename.
  const work = await mkdtemp(`${builtInModel}-`)
  try {
    const ready = join(work, 'ready')
    await mkdir(ready)
    await Promise.all(PACKAGES.map((wanted) => fetchFiles(wanted, work, ready)))
    await writeFile(join(ready, 'tokens.txt'), await tokensOf(join(ready, TOKENIZER)))
    await rm(join(ready, TOKENIZER))
    // Bots that root starts read it as another user, whatever the mask of this process is.
    for (const file of await readdir(ready)) await chmod(join(ready, file), 0o644)
    for (const folder of [ready, dirname(builtInModel)]) await chmod(folder, 0o755)
    await rm(builtInModel, { recursive: true, force: true })
    await rename(ready, builtInModel)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

async function fetchFiles({ spec, integrity, files }: Wanted, work: string, ready: string): Promise<void> {
  const place = await mkdtemp(join(work, 'package-'))
  const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--pack-destination', place, spec], {
    cwd: place,
    timeout: NPM_MS,
    maxBuffer: 16_000_000,
  }).catch((error: Error & { stderr?: string }) => {
    const said = error.stderr?.split('\n').find((line) => line.startsWith('npm error')) ?? error.message
    throw new Error(`npm could not fetch ${spec}: ${said}`)
  })
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }]
  // npm of Debian 12 names the file as it names the package.
  const archive = join(place, filename.replace(/^@/, '').replace('/', '-'))
  const found = `sha512-${createHash('sha512')
    .update(await readFile(archive))
    .digest('base64')}`
  if (found !== integrity) throw new Error(`${spec} is not the package that this version knows (its hash differs).`)
  const wanted = new Set(files.map(({ from }) => `package/${from}`))
  await extract({ file: archive, cwd: place, filter: (path) => wanted.has(path) })
  for (const { from, to, sha256 } of files) {
    const file = join(place, 'package', from)
    if ((await sha256Of(file)) !== sha256)
      throw new Error(`${from} of ${spec} is not the file that this version knows.`)
    await rename(file, join(ready, to))
  }
}

/** The vocabulary in the form that `sherpa-onnx-node` reads: each token in base64 with its number. */
async function tokensOf(tokenizer: string): Promise<string> {
  const { default: llama } = (await import(pathToFileURL(tokenizer).href)) as { default: { vocabById: string[] } }
  const bytesOf = (token: string) => {
    const [, byte] = /^<0x([0-9A-F]{2})>$/.exec(token) ?? []
    return byte === undefined ? Buffer.from(token.replaceAll('▁', ' ')) : Buffer.from(byte, 'hex')
  }
  const lines = Array.from({ length: TOKENS }, (_, id) => {
    const token = llama.vocabById[id]
    const bytes = token === undefined ? Buffer.from(`<<ST_${id - llama.vocabById.length}>>`) : bytesOf(token)
    return `${bytes.toString('base64')} ${id}`
  })
  return `${lines.join('\n')}\n`
}
