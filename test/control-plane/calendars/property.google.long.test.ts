import { followsTheRules } from './thousand-sequences.ts'

followsTheRules('google')
