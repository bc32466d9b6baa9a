import { bundlePageScripts } from '../scripts/build.ts'

/** Tests that need no page script, or that of another platform, run even where one cannot be bundled. */
export default () => bundlePageScripts({ goOn: true })
