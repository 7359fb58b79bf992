import type { Invitations, MailedKeys } from "../../../activities/powers/fetched.ts"
import { sealToFetcher } from "../sealed-to-fetcher.ts"
import type { FactKind, FetchedFacts } from "./facts.ts"

/** An activity sends one list of invitations, and mails one key. */
const ONLY = ""

/** The mails of the activity's invitations were sent. */
export const SENT_INVITATIONS: FactKind<"sendInvitations", "invitationsSent", true> = {
  task: "sendInvitations",
  finding: "invitationsSent",
  subject: () => ONLY,
  read: () => true,
  isStored: true,
}

/** The activity's key was mailed. */
export const MAILED_KEY: FactKind<"mailKey", "keyMailed", true> = {
  task: "mailKey",
  finding: "keyMailed",
  subject: () => ONLY,
  read: () => true,
  isStored: true,
}

export function invitationsOf(facts: FetchedFacts): Invitations {
  return {
    send: (invitations) =>
      void facts.require(SENT_INVITATIONS, ONLY, () => {
        const { parentId, activityFingerprint } = facts.activity()
        return { ...invitations, parentId, activityFingerprint }
      }),
  }
}

export function keyMailerOf(facts: FetchedFacts): Pick<MailedKeys, "mail"> {
  return {
    mail: ({ bundle, ...mail }) =>
      void facts.require(MAILED_KEY, ONLY, () => {
        const { parentId, activityFingerprint } = facts.activity()
        const place = { organizationId: facts.source.request.organizationId, activityFingerprint }
        return {
          ...mail,
          sealedBundle: sealToFetcher(bundle(), place, facts.deps),
          parentId,
          activityFingerprint,
        }
      }),
  }
}
