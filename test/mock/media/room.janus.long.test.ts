import { mediaRoomContract } from './room-contract.ts'

mediaRoomContract('a real media server')
