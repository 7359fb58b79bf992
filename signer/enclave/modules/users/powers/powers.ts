// Powers of users: invitations.
import type { Invitations } from "../../../activities/powers/fetched.ts"
import type { FactKind } from "../../../execution/state/fact-kind.ts"
import type { FetchedFacts } from "../../../execution/workspace/fetched-facts.ts"
import type { Makers } from "../../../execution/workspace/makers.ts"

/** An activity sends one list of invitations. */
const ONLY = ""

/** The mails of the activity's invitations were sent. */
const SENT_INVITATIONS: FactKind<"sendInvitations", "invitationsSent", true> = {
  task: "sendInvitations",
  finding: "invitationsSent",
  subject: () => ONLY,
  read: () => true,
  isStored: true,
}

export const fetched = [SENT_INVITATIONS]

export const powers = {
  invitation: ({ facts }) => invitationsOf(facts),
} satisfies Partial<Makers>

function invitationsOf(facts: FetchedFacts): Invitations {
  return {
    send: (invitations) =>
      void facts.require(SENT_INVITATIONS, ONLY, () => {
        const { parentId, activityFingerprint } = facts.activity()
        return { ...invitations, parentId, activityFingerprint }
      }),
  }
}
