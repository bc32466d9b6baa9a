/** The stub of the Meeting SDK for Web, as a script that a page loads from the SDK's host. */
import { createStub } from '../sdk/page/stub.ts'

const { currentScript } = document
const server = currentScript instanceof HTMLScriptElement ? new URL(currentScript.src).origin : location.origin
Object.assign(window, { ZoomMtg: createStub(server) })
