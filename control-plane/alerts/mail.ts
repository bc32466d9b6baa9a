/** A firing as a mail in plain text. */
import { type AlertMail, type Mailer, MailRefused } from '../ports.ts'

const PAGE = '/dashboard/alerts'

/** Null: no mail server is configured; the mail waits for one as for a server that is away. */
export function createAlertMail(mailer: Mailer | null, publicUrl: string): AlertMail {
  return async ({ to, id, body }) => {
    if (mailer === null) throw new MailRefused('No mail server is configured', null, false)
    const { alert_rule_name: name, alert_type: type, message, triggered_at: at } = body
    const text = [
      String(message),
      '',
      `Rule:  ${name}`,
      `Type:  ${type}`,
      `Time:  ${at}`,
      '',
      `Rules and what they fired: ${publicUrl}${PAGE}`,
      '',
    ].join('\n')
    return mailer.send({ to, id, subject: `Alert: ${name}`, text })
  }
}
