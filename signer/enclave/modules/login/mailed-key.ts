import { create } from "@bufbuild/protobuf"
import { OtpType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  CodeMessageSchema,
  type MailedKeyUse,
} from "../../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import type { User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { compressP256, p256Point, p256PrivateKey } from "../../../core/crypto/p256.ts"
import { wiping } from "../../../core/crypto/secret.ts"
import { requireTerms, senderOf, wordingOf } from "../../../core/messages/terms.ts"
import { SAMPLE_BUNDLE } from "../../../core/messages/wording.ts"
import { contactCredential } from "../../../core/policy/decision/credentials.ts"
import { sealCredential } from "../../bundles/credential-bundle.ts"
import { openSession } from "../../organization/credentials.ts"
import type { ActivityContext } from "../../activities/activity.ts"
import { type CodeRequest, requestedTerms, TERM_FIELDS } from "./code-terms.ts"
import { requireContactOwner } from "../../activities/contact-owner.ts"
import {
  requireTarget,
  type SealedSessionParameters,
  sealedSessionMembers,
  type SessionKind,
  TARGET_FIELD,
} from "./sealed-session.ts"

/** Members of every request that mails a key. */
export type MailRequest = SealedSessionParameters & Omit<CodeRequest, "expirationSeconds"> & { email: string }

/** The kind of session that the key is of, and its use for the fetcher. */
type MailedKind = Omit<SessionKind, "openedBy"> & { use: MailedKeyUse }

/** @throws TARGET_KEY_INVALID, OTP_MESSAGE_INVALID */
export function checkMailRequest(request: MailRequest): void {
  requireTarget(request)
  requireTerms(requestedTerms(request), TERM_FIELDS, undefined, SAMPLE_BUNDLE)
}

/** The user with the address of a request. @throws RESOURCE_UNKNOWN, CONTACT_AMBIGUOUS */
export function requireAddressee({ email: contact }: MailRequest, context: ActivityContext): User {
  const named = { channel: OtpType.EMAIL, contact, field: "parameters.email", name: "this e-mail address" }
  return requireContactOwner({ ...named, remedy: "log in with a credential of one of them" }, context)
}

/**
 * Makes a key, has it mailed to a user's address, sealed to the client's key, and opens a session with it. The key is
 * nobody's before the mail was sent. Only a template that the request names is used: the newest one may speak of codes.
 * @throws TARGET_KEY_INVALID, OTP_MESSAGE_INVALID, RESOURCE_UNKNOWN, LOGIN_MFA_NEEDED, the codes of MailedKeys.mail
 */
export function mailKey(
  user: User,
  request: MailRequest,
  { use, ...kind }: MailedKind,
  context: ActivityContext<["credential", "loginMfa", "mailedKey", "random", "session", "settings"]>,
): { userId: string; apiKeyId: string } {
  const { organization, random } = context
  const credential = contactCredential(user, OtpType.EMAIL)
  context.loginMfa.require(user, credential)
  const requested = requestedTerms(request)
  const terms = { ...requested, appName: requested.appName ?? organization.document.name }
  const { templateId } = terms
  const mailTemplate =
    templateId === undefined ? undefined : context.mailedKey.template(templateId, TERM_FIELDS.templateId)
  requireTerms(terms, TERM_FIELDS, mailTemplate, SAMPLE_BUNDLE)
  const members = sealedSessionMembers(request, { ...kind, openedBy: credential.publicKey }, context)
  const target = requireTarget(request)
  const { secret } = context.mailedKey.key()
  return wiping([secret], () => {
    context.mailedKey.mail({
      use,
      email: user.email,
      lifetimeSeconds: members.expirationSeconds,
      message: create(CodeMessageSchema, {
        ...wordingOf(terms, TERM_FIELDS, mailTemplate),
        ...senderOf(terms),
      }),
      bundle: () => sealCredential(target, secret, random),
    })
    const publicKey = Buffer.from(compressP256(p256Point(p256PrivateKey(secret)))).toString("hex")
    const { id } = openSession(context, user, { ...members, publicKey }, TARGET_FIELD)
    return { userId: user.userId, apiKeyId: id }
  })
}
