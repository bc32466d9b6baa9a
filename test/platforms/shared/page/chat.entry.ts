/** Runs in the page of chat.browser.test.ts. */
import { watchChangedNodes } from '../../../../platforms/shared/page/changed-nodes.ts'
import { contentOf } from '../../../../platforms/shared/page/chat-content.ts'

const chat = { contentOf, watchChangedNodes }
export type Chat = typeof chat
Object.defineProperty(globalThis, 'chat', { value: chat })
