import { useSignal } from '@preact/signals'
import { type Answers, dashboard, dataOf, type Role } from '../api.ts'
import { ActionButton, OutcomeLine, useAction } from '../parts/action.tsx'
import { Choice, Field, Form } from '../parts/form.tsx'
import { Shown, useLoaded } from '../parts/load.tsx'
import { Secret, Table, Time } from '../parts/pieces.tsx'
import { may } from '../session.ts'
import { TEXTS } from '../texts.ts'

export function Team() {
  const texts = TEXTS.team
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
      <h1>{texts.title}</h1>
      <p class="soft">{texts.explain}</p>
      <OutcomeLine of={action} />
      {link.value !== null && <Secret title={link.value.text} value={link.value.value} />}
      <Shown of={people}>
        {(list) => (
          <Table
            texts={texts}
            entries={list}
            keyOf={(person) => person.person_id}
            cells={(person) => [
              person.name,
              <>
                {person.email ?? TEXTS.none}
                {needsConfirming(person) && <p class="soft">{texts.notConfirmed}</p>}
                {person.invitation_expires_at !== null && (
                  <p class="soft">
                    {texts.invitedUntil} <Time at={person.invitation_expires_at} />
                  </p>
                )}
              </>,
              may('owner') ? (
                <select
                  aria-label={`${texts.role}: ${person.name}`}
                  value={person.role}
                  onChange={(event) => {
                    const role = event.currentTarget.value as Role
                    if (role === 'owner' && !confirm(texts.ownerSure(person.name))) {
                      event.currentTarget.value = person.role
                      return
                    }
                    void action.run(() => change(person, { role }))
                  }}
                >
                  {Object.entries(texts.roles).map(([word, text]) => (
                    <option key={word} value={word}>
                      {text}
                    </option>
                  ))}
                </select>
              ) : (
                texts.roles[person.role]
              ),
              <Time at={person.created_at} />,
              may('owner') && (
                <div class="actions">
                  {needsConfirming(person) && (
                    <ActionButton
                      of={action}
                      confirmation={texts.confirmSure(person.email!)}
                      work={() => change(person, { email: person.email! })}
                    >
                      {texts.confirm}
                    </ActionButton>
                  )}
                  {person.has_entered ? (
                    <ActionButton
                      of={action}
                      work={() =>
                        showLink(texts.linkHelp, dataOf(dashboard.POST('/people/{person_id}/link', at(person))))
                      }
                    >
                      {texts.link}
                    </ActionButton>
                  ) : (
                    <ActionButton
                      of={action}
                      work={() =>
                        showLink(
                          texts.invitationHelp,
                          dataOf(dashboard.POST('/people/{person_id}/invitation', at(person))),
                        )
                      }
                    >
                      {texts.inviteAgain}
                    </ActionButton>
                  )}
                  {person.invitation_expires_at !== null && (
                    <ActionButton
                      of={action}
                      work={() => messageOf(dataOf(dashboard.DELETE('/people/{person_id}/invitation', at(person))))}
                    >
                      {texts.withdraw}
                    </ActionButton>
                  )}
                  <ActionButton
                    of={action}
                    kind="bad"
                    confirmation={texts.removeSure}
                    work={() => messageOf(dataOf(dashboard.DELETE('/people/{person_id}', at(person))))}
                  >
                    {texts.remove}
                  </ActionButton>
                </div>
              ),
            ]}
          />
        )}
      </Shown>
      {may('owner') && (
        <section>
          <Form
            of={action}
            submit={texts.add}
            confirmation={({ name = '', role }) => (role === 'owner' ? texts.ownerSure(name) : null)}
            onSubmit={({ name = '', email = '', role }) =>
              showLink(
                texts.invitationHelp,
                dataOf(dashboard.POST('/people', { body: { name, email, role: role as Role } })),
              )
            }
          >
            <Field label={texts.name} name="name" required maxLength={100} autocomplete="off" />
            <Field label={texts.email} name="email" type="email" required autocomplete="off" />
            <Choice label={texts.role} name="role" options={texts.roles} />
          </Form>
        </section>
      )}
    </>
  )
}
