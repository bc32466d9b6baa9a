/** Who the processes of bots run as on this machine. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type BotUserChoice, chooseBotUser, letPass, weaknessOf } from '@standin/wire/process/bot-user.ts'
import type { ServiceConfig } from '../config/config.ts'
import type { Environment } from './launcher.ts'

/** Opens the folders of bots to their user. Rejects with a sentence if the user that the operator named cannot be used. */
export async function openBotUser(
  { launcher, roles, dataFolder, storage }: Pick<ServiceConfig, 'launcher' | 'roles' | 'dataFolder' | 'storage'>,
  environment: Environment,
): Promise<BotUserChoice> {
  if (launcher !== 'process' || !roles.has('launcher')) return { user: null, weakness: null }
  const folders = [dataFolder, join(dataFolder, 'bots'), ...(storage.type === 'folder' ? [storage.path] : [])]
  const choice = await chooseBotUser(environment, folders, async (user) => {
    for (const folder of folders) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await letPass(user, folder)
    }
  })
  return { ...choice, weakness: await weaknessOf(choice) }
}
