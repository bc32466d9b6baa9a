/** Administration commands of people. */

import { CommandMistake, table } from '@standin/wire/process/command-output.ts'
import { signInAddress } from '../../api/dashboard/addresses.ts'
import { createPerson, findPeople, firstOwner, listPeople, ROLES } from '../../store/people/people.ts'
import { createInvitation, createSignInLink, INVITATION_DAYS, LINK_MINUTES } from '../../store/people/sessions.ts'
import { readSetting } from '../../store/settings.ts'
import { PUBLIC_URL, publicUrlOf } from '../wiring/http-address.ts'
import { type CommandContext, onInstallation, teamOf } from './context.ts'

export async function invitePersonCommand(
  context: CommandContext,
  email: string,
  { team, name, role = 'member' }: { team?: string; name?: string; role?: string },
): Promise<void> {
  const wanted = ROLES.find((one) => one === role)
  if (wanted === undefined) throw new CommandMistake(`--role is one of ${ROLES.join(', ')}`)
  if (!/^[^\s@]{1,64}@[^\s@]{1,189}$/.test(email)) throw new CommandMistake(`"${email}" is no e-mail address`)
  const made = await onInstallation(context, async (installation) => {
    const teamId = await teamOf(installation, team)
    const id = await createPerson(installation.database, { teamId, name: name ?? email, email, role: wanted })
    if (id === null) throw new CommandMistake(`The team has a person with the e-mail address ${email}`)
    return { person_id: id, sign_in_link: await linkFor(context, installation.database, id, createInvitation) }
  })
  context.output.answer(made, [made.sign_in_link, `It signs ${email} in once, within ${INVITATION_DAYS} days.`])
}

export async function listPeopleCommand(context: CommandContext, { team }: { team?: string }): Promise<void> {
  const people = await onInstallation(context, async (installation) =>
    listPeople(installation.database, team === undefined ? undefined : await teamOf(installation, team)),
  )
  context.output.answer(
    people.map(({ id, teamId, createdAt, isEmailConfirmed, invitedUntil, hasEntered, ...person }) => ({
      person_id: id,
      team_id: teamId,
      ...person,
      is_email_confirmed: isEmailConfirmed,
      created_at: createdAt,
      invitation_expires_at: invitedUntil,
      has_entered: hasEntered,
    })),
    table(
      ['person id', 'name', 'e-mail', 'role'],
      people.map(({ id, name, email, role }) => [id, name, email, role]),
      'No people yet. Invite the first: standin service people invite <e-mail>',
    ),
  )
}

/** Without a name: a link for the first owner. */
export async function signInLinkCommand(context: CommandContext, who: string | undefined): Promise<void> {
  const made = await onInstallation(context, async ({ database }) => {
    const ids = who === undefined ? [await firstOwner(database)] : (await findPeople(database, who)).map(({ id }) => id)
    const [id = null] = ids
    if (id === null) throw new CommandMistake(`There is no person ${who}`)
    if (ids.length > 1) throw new CommandMistake(`${who} is a person of several teams; name one of: ${ids.join(', ')}`)
    return { person_id: id, sign_in_link: await linkFor(context, database, id) }
  })
  context.output.answer(made, [made.sign_in_link, `It works once, within ${LINK_MINUTES} minutes.`])
}

async function linkFor(
  { config }: CommandContext,
  database: Parameters<typeof createSignInLink>[0],
  personId: string,
  create = createSignInLink,
): Promise<string> {
  // The running service may listen on another port than this command would.
  const served = await readSetting(database, PUBLIC_URL)
  const publicUrl = config.publicUrl ?? (typeof served === 'string' ? served : publicUrlOf(config))
  return signInAddress(publicUrl, await create(database, personId))
}
