import { useSignal } from '@preact/signals'
import { ask, type PersonRow, type SignInWays } from '../api.ts'
import { ActionButton, OutcomeLine, useAction } from '../parts/action.tsx'
import { Choice, Field, Form } from '../parts/form.tsx'
import { Shown, useLoaded } from '../parts/load.tsx'
import { Secret, Table, Time } from '../parts/pieces.tsx'
import { may } from '../session.ts'
import { TEXTS } from '../texts.ts'

export function Team() {
  const texts = TEXTS.team
  const action = useAction()
  const link = useSignal<string | null>(null)
  const people = useLoaded(() => ask<PersonRow[]>('GET', '/people'))
  const ways = useLoaded(() => ask<SignInWays>('GET', '/sign-in-ways'))
  /** Only the OpenID provider's accounts are recognized by the address. */
  const needsConfirming = ({ email, is_email_confirmed }: PersonRow) =>
    email !== null && !is_email_confirmed && ways.value.value?.oidc != null
  const showLink = async (request: Promise<{ sign_in_link: string }>) => {
    link.value = (await request).sign_in_link
    await people.reload()
    return null
  }
  const change = async (request: Promise<{ message: string }>) => {
    const { message } = await request
    await people.reload()
    return message
  }
  return (
    <>
      <h1>{texts.title}</h1>
      <p class="soft">{texts.explain}</p>
      <OutcomeLine of={action} />
      {link.value !== null && <Secret title={texts.linkHelp} value={link.value} />}
      <Shown of={people}>
        {(list) => (
          <Table columns={texts.columns} label={texts.title}>
            {list.map((person) => (
              <tr key={person.person_id}>
                <td>{person.name}</td>
                <td>
                  {person.email ?? TEXTS.none}
                  {needsConfirming(person) && <p class="soft">{texts.notConfirmed}</p>}
                </td>
                <td>
                  {may('owner') ? (
                    <select
                      aria-label={`${texts.role}: ${person.name}`}
                      value={person.role}
                      onChange={(event) => {
                        const role = event.currentTarget.value
                        void action.run(() => change(ask('PATCH', `/people/${person.person_id}`, { role })))
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
                  )}
                </td>
                <td>
                  <Time at={person.created_at} />
                </td>
                <td>
                  {may('owner') && (
                    <div class="actions">
                      {needsConfirming(person) && (
                        <ActionButton
                          of={action}
                          sure={texts.confirmSure(person.email!)}
                          work={() => change(ask('PATCH', `/people/${person.person_id}`, { email: person.email }))}
                        >
                          {texts.confirm}
                        </ActionButton>
                      )}
                      <ActionButton of={action} work={() => showLink(ask('POST', `/people/${person.person_id}/link`))}>
                        {texts.link}
                      </ActionButton>
                      <ActionButton
                        of={action}
                        kind="bad"
                        sure={texts.removeSure}
                        work={() => change(ask('DELETE', `/people/${person.person_id}`))}
                      >
                        {texts.remove}
                      </ActionButton>
                    </div>
                  )}
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Shown>
      {may('owner') && (
        <section>
          <Form of={action} submit={texts.add} onSubmit={(fields) => showLink(ask('POST', '/people', fields))}>
            <Field label={texts.name} name="name" required maxLength={100} autocomplete="off" />
            <Field label={texts.email} name="email" type="email" required autocomplete="off" />
            <Choice label={texts.role} name="role" options={texts.roles} />
          </Form>
        </section>
      )}
    </>
  )
}
