/** Runs in the page of chat.browser.test.ts. */

import { contentOf } from '../../../../../platforms/shared/page/chat/chat-content.ts'
import { watchChangedNodes } from '../../../../../platforms/shared/page/dom/changed-nodes.ts'

const chat = { contentOf, watchChangedNodes }
export type Chat = typeof chat
Object.defineProperty(globalThis, 'chat', { value: chat })
