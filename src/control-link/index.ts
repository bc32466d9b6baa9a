export { type ControlLinkOptions, openControlLink } from './client.ts'
export { JOURNAL_NAME, LINK_STATE_NAME } from './journal.ts'
export { type CommandedControlPlane, createLocalControlPlane, type LocalOptions } from './local.ts'
export { createUsageMeter, type Usage, type UsageMeter } from './process-usage.ts'
