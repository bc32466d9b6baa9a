import { mediaRoomContract } from './room-contract.ts'

mediaRoomContract('its own packets')
