import { slowAnimations } from '../../../../../platforms/shared/page/dom/slow-animations.ts'

Object.assign(globalThis, { slowAnimations })
