import type { ListedOrganization } from "../api/directory.ts"
import { requireLogin } from "../api/login.ts"
import { Badge, Empty } from "../ui/basics.tsx"
import { openChange } from "../ui/change.tsx"
import { manyOf, textOf } from "../ui/fields.tsx"
import { ListSection } from "../ui/list-section.tsx"
import { actsColumn } from "../ui/row-menu.tsx"

type Invitation = ListedOrganization["invitations"][number]

const STATES: {
  readonly [status: string]: readonly [tone: "good" | "warn" | "", word: string, why: string]
} = {
  INVITATION_STATUS_CREATED: [
    "warn",
    "Sent",
    "The person becomes a user once they log in with this address.",
  ],
  INVITATION_STATUS_ACCEPTED: ["good", "Accepted", "The person has logged in and is a user, listed above."],
  INVITATION_STATUS_REVOKED: [
    "",
    "Withdrawn",
    "Its address can no longer become a user. Invite the person again if they should be one.",
  ],
}

/** People who were asked by mail to become users. */
export function Invitations({
  organization,
  state,
}: {
  organization: ListedOrganization | undefined
  state: { error: Error | undefined; reload: () => void }
}) {
  return (
    <ListSection<Invitation>
      title="Invitations"
      verb="Invite by e-mail"
      onAdd={() => invite(organization)}
      columns={[
        { title: "Name", cell: ({ receiverUserName }) => <b>{receiverUserName}</b> },
        { title: "Address", cell: ({ receiverEmail }) => <span class="wrap">{receiverEmail}</span> },
        {
          title: "State",
          cell: ({ status }) => {
            const [tone, word, why] = STATES[status] ?? ["" as const, status]
            return (
              <Badge tone={tone} why={why}>
                {word}
              </Badge>
            )
          },
        },
        actsColumn(
          ({ receiverUserName }) => receiverUserName,
          (invitation) =>
            invitation.status === "INVITATION_STATUS_CREATED"
              ? [{ verb: "Withdraw", act: () => withdraw(invitation), grave: true }]
              : [],
        ),
      ]}
      rows={organization?.invitations}
      state={state}
      keyOf={({ invitationId }) => invitationId}
      empty={<Empty sentence="Nobody is invited. An invited person adds their own credential." />}
    />
  )
}

function invite(organization: ListedOrganization | undefined): void {
  openChange({
    title: "Invite by e-mail",
    verb: "Invite",
    type: "ACTIVITY_TYPE_CREATE_INVITATIONS",
    fields: [
      { name: "receiverUserName", label: "Name", path: "invitations[0].receiverUserName" },
      { name: "receiverUserEmail", label: "E-mail address", path: "invitations[0].receiverUserEmail" },
      {
        name: "accessType",
        label: "They work with",
        kind: "select",
        options: [
          { value: "ACCESS_TYPE_ALL", label: "A browser and API keys" },
          { value: "ACCESS_TYPE_WEB", label: "A browser alone" },
          { value: "ACCESS_TYPE_API", label: "API keys alone" },
        ],
      },
      {
        name: "receiverUserTags",
        label: "Tags",
        kind: "many",
        path: "invitations[0].receiverUserTags",
        options: (organization?.tags ?? [])
          .filter(({ tagType }) => tagType === "TAG_TYPE_USER")
          .map(({ tagId, tagName }) => ({ value: tagId, label: tagName })),
      },
    ],
    parameters: (values) => ({
      invitations: [
        {
          receiverUserName: textOf(values, "receiverUserName"),
          receiverUserEmail: textOf(values, "receiverUserEmail"),
          receiverUserTags: manyOf(values, "receiverUserTags"),
          accessType: textOf(values, "accessType"),
          senderUserId: requireLogin().userId,
        },
      ],
    }),
  })
}

function withdraw({ invitationId, receiverUserName }: Invitation): void {
  openChange({
    title: "Withdraw invitation",
    verb: "Withdraw",
    type: "ACTIVITY_TYPE_DELETE_INVITATION",
    sentence: `Withdraw the invitation of ${receiverUserName}: its link no longer works.`,
    parameters: () => ({ invitationId }),
  })
}
