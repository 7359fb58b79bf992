import { create } from "@bufbuild/protobuf"
import { OtpType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { FieldRuleSchema, Form } from "../../../proto/gen/countersign/api/v1/options_pb.ts"
import { faultOfString } from "../../../proto/rules.ts"
import { refuse } from "../refusal.ts"

const EMAIL = { name: "email address", rule: create(FieldRuleSchema, { form: Form.EMAIL }) }
const PHONE = { name: "phone number", rule: create(FieldRuleSchema, { form: Form.E164 }) }

/** @throws OTP_CONTACT_INVALID */
export function requireContact(channel: OtpType, contact: string, field: string): void {
  const { name, rule } = channel === OtpType.EMAIL ? EMAIL : PHONE
  const fault = faultOfString(contact, rule)
  if (fault !== undefined)
    throw refuse("OTP_CONTACT_INVALID", `invalid ${name}: ${field} ${fault}`, { field })
}

/**
 * The form by which codes of a contact are counted. Spellings that reach one mailbox with every provider share it. They differ
 * in letter case (RFC 5321 section 2.4 has hosts exploit it nowhere), compatible characters (Unicode NFKC), or a domain in
 * Unicode or ASCII (RFC 5891). Dots and "+" of a local part stay: what they mean is each provider's own affair. Another
 * spelling is another contact for logins too, so a code that was guessed for it logs in to no account of this one.
 *
 * It folds at least what logins compare without regard to case, so limits hold for all spellings that a login accepts.
 */
export function countedContact(channel: OtpType, contact: string): string {
  if (channel !== OtpType.EMAIL) return contact
  const at = contact.lastIndexOf("@")
  const local = contact.slice(0, at).normalize("NFKC").toLowerCase()
  const domain = contact
    .slice(at + 1)
    .normalize("NFKC")
    .toLowerCase()
  const url = URL.parse(`http://${domain}/`)
  return `${local}@${url === null ? domain : url.hostname}`
}
