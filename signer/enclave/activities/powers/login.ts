// Powers over sessions, and what logins read.
import type { OtpType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { OrganizationDocument, User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { SessionScope } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Credential } from "../../../core/policy/decision/decision-input.ts"
import type { ReadOnlySession } from "../../../core/session/read-only-session.ts"
import type { SessionOpener } from "../../organization/draft.ts"
import type { SessionClaims } from "../../proof/session-token.ts"

/** New sessions of the organization. The notarizer signs their texts. */
export type Sessions = SessionOpener & {
  token(claims: Omit<SessionClaims, "organizationId">): string
  /** Text of a read-only session. */
  readOnly(session: Omit<ReadOnlySession, "organizationId">): string
}

/** The credential that stamped. */
export type StampCredential = {
  readonly name: string
  /** Unix ms; 0: it does not expire. */
  readonly expiresAtMs: bigint
  /** Scope of the session that the credential is; undefined: it has none, or the credential is no session. */
  readonly scope: SessionScope | undefined
  /** Value of `SessionRecord.opened_by` for a session that this activity opens. */
  readonly openedBy: string
  /** Channel of the contact that the stamp's verification token proves; undefined for other stamps. */
  readonly provenChannel: OtpType | undefined
}

/** MFA policies of users for whom somebody else asks. */
export type LoginMfa = {
  /** Requires that one credential satisfies the user's MFA policy. @throws LOGIN_MFA_NEEDED */
  require(user: User, credential: Credential): void
}

/** Parts of an organization document that also apply to its sub-organizations. */
export type InheritedSettings = Readonly<
  Pick<
    OrganizationDocument,
    | "organizationId"
    | "parentId"
    | "features"
    | "authProxy"
    | "sessionProfiles"
    | "onRampCredentials"
    | "emailTemplates"
  >
>

/** Settings before the activity's changes. */
export type SettingsReader = {
  readonly own: InheritedSettings
  /** Settings of the parent, or the organization's own. ContextNeeded asks for a document that is missing. */
  readonly governing: InheritedSettings
}
