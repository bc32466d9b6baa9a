/** The script of the page that runs Zoom's Meeting SDK, for every document of its tab. */
import { startSdkPage } from './start.ts'
import type { SdkPageConfig } from './types.ts'

/** Given by the driver, which wraps this script in a function of this parameter. */
declare const standinConfig: SdkPageConfig

if (window.top === window) startSdkPage(standinConfig)
