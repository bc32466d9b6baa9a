import { useSignal } from '@preact/signals'
import { type Answers, dashboard, dataOf, type Role } from '../api.ts'
import { ActionButton, OutcomeLine, useAction } from '../parts/action.tsx'
import { ask } from '../parts/dialog.tsx'
import { Choice, Field, Form } from '../parts/form.tsx'
import { Shown, useLoaded } from '../parts/load.tsx'
import { Secret, Table, Time } from '../parts/pieces.tsx'
import { may } from '../session.ts'
import { TEXTS } from '../texts.ts'

const TITLE = 'Team'
const ROLE = 'Role'
const ownerSureText = (name: string) =>
  `Make ${name} an owner? Owners manage keys, endpoints and people, and can remove other owners.`
const INVITATION_HELP = 'Send this link to the person. It can be used once, within 7 days.'

export function Team() {
  const action = useAction()
  const link = useSignal<{ text: string; value: string } | null>(null)
  const people = useLoaded(() => dataOf(dashboard.GET('/people')))
  const ways = useLoaded(() => dataOf(dashboard.GET('/sign-in-ways')))
  /** Only the OpenID provider's accounts are recognized by the address. */
  const needsConfirming = ({ email, is_email_confirmed }: Answers['Person']) =>
    email !== null && !is_email_confirmed && ways.value.value?.oidc != null
  const showLink = async (text: string, request: Promise<{ sign_in_link: string }>) => {
    link.value = { text, value: (await request).sign_in_link }
    await people.reload()
    return null
  }
  const messageOf = async (request: Promise<{ message: string }>) => {
    const { message } = await request
    await people.reload()
    return message
  }
  const at = ({ person_id }: Answers['Person']) => ({ params: { path: { person_id } } })
  const change = (person: Answers['Person'], body: { role?: Role; email?: string }) =>
    messageOf(dataOf(dashboard.PATCH('/people/{person_id}', { ...at(person), body })))
  return (
    <>
      <h1>{TITLE}</h1>
      <p class="soft">
        Viewers can read. Members can also control bots. Owners can also manage keys, endpoints and people.
      </p>
      <OutcomeLine of={action} />
      {link.value !== null && <Secret title={link.value.text} value={link.value.value} />}
      <Shown of={people}>
        {(list) => (
          <Table
            texts={{ title: TITLE, columns: ['Name', 'E-mail address', 'Role', 'Added', ''] }}
            entries={list}
            keyOf={(person) => person.person_id}
            cells={(person) => [
              <span class="name">{person.name}</span>,
              <>
                {person.email ?? TEXTS.none}
                {needsConfirming(person) && (
                  <p class="soft">Not confirmed: it cannot be used to sign in through the provider</p>
                )}
                {person.invitation_expires_at !== null && (
                  <p class="soft">
                    Invited. The link works until <Time at={person.invitation_expires_at} />
                  </p>
                )}
              </>,
              may('owner') ? (
                <select
                  aria-label={`${ROLE}: ${person.name}`}
                  value={person.role}
                  onChange={async ({ currentTarget: choice }) => {
                    const role = choice.value as Role
                    if (role === 'owner' && !(await ask(ownerSureText(person.name), 'Make an owner'))) {
                      choice.value = person.role
                      return
                    }
                    void action.run(() => change(person, { role }))
                  }}
                >
                  {Object.entries(TEXTS.roles).map(([word, text]) => (
                    <option key={word} value={word}>
                      {text}
                    </option>
                  ))}
                </select>
              ) : (
                TEXTS.roles[person.role]
              ),
              <Time at={person.created_at} />,
              may('owner') && (
                <div class="actions">
                  {needsConfirming(person) && (
                    <ActionButton
                      of={action}
                      confirmation={`Does ${person.email!} belong to this person? It will sign them in through the provider.`}
                      work={() => change(person, { email: person.email! })}
                    >
                      Confirm address
                    </ActionButton>
                  )}
                  {person.has_entered ? (
                    <ActionButton
                      of={action}
                      work={() =>
                        showLink(
                          'Send this link to the person. It can be used once, within 15 minutes.',
                          dataOf(dashboard.POST('/people/{person_id}/link', at(person))),
                        )
                      }
                    >
                      Sign-in link
                    </ActionButton>
                  ) : (
                    <ActionButton
                      of={action}
                      work={() =>
                        showLink(INVITATION_HELP, dataOf(dashboard.POST('/people/{person_id}/invitation', at(person))))
                      }
                    >
                      New invitation link
                    </ActionButton>
                  )}
                  {person.invitation_expires_at !== null && (
                    <ActionButton
                      of={action}
                      work={() => messageOf(dataOf(dashboard.DELETE('/people/{person_id}/invitation', at(person))))}
                    >
                      Withdraw invitation
                    </ActionButton>
                  )}
                  <ActionButton
                    of={action}
                    kind="bad"
                    confirmation="Remove this person? Their sessions end immediately."
                    work={() => messageOf(dataOf(dashboard.DELETE('/people/{person_id}', at(person))))}
                  >
                    Remove
                  </ActionButton>
                </div>
              ),
            ]}
          />
        )}
      </Shown>
      {may('owner') && (
        <section>
          <h2>Invite a person</h2>
          <Form
            of={action}
            submit="Invite"
            confirmation={({ name = '', role }) => (role === 'owner' ? ownerSureText(name) : null)}
            onSubmit={({ name = '', email = '', role }) =>
              showLink(
                INVITATION_HELP,
                dataOf(dashboard.POST('/people', { body: { name, email, role: role as Role } })),
              )
            }
          >
            <Field label="Name" name="name" required maxLength={100} autocomplete="off" />
            <Field label="E-mail address" name="email" type="email" required autocomplete="off" />
            <Choice label={ROLE} name="role" options={TEXTS.roles} />
          </Form>
        </section>
      )}
    </>
  )
}
