import { bundlePageScripts } from '../scripts/build.ts'

export default bundlePageScripts
